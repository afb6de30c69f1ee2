# A support vector machine of scikit-learn behind Flask, for tools/lab/serve.
# peer.py TRAIN.csv C GAMMA: learns, prints its address, answers {"rows": [[...], ...]} on /predict.
import sys

import numpy as np
from flask import Flask, jsonify, request
from sklearn.svm import SVC
from werkzeug.serving import WSGIRequestHandler, make_server

WSGIRequestHandler.log_request = lambda *_: None

table = np.genfromtxt(sys.argv[1], delimiter=",", skip_header=1)
machine = SVC(C=float(sys.argv[2]), gamma=float(sys.argv[3])).fit(table[:, :-1], table[:, -1].astype(int))
app = Flask("peer")


@app.post("/predict")
def predict():
    rows = np.array(request.get_json()["rows"], dtype=float)
    return jsonify(prediction=[str(k) for k in machine.predict(rows)])


server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
