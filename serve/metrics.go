package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what GET /metrics tells. Their names and meanings are in docs/serving.md.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	rows     *prometheus.CounterVec
	batch    prometheus.Histogram
	reloads  *prometheus.CounterVec
	flying   prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mercer_requests_total", Help: "Requests answered, by route and HTTP status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mercer_request_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"route"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mercer_rows_total", Help: "Rows predicted, by model.",
		}, []string{"model"}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "mercer_batch_requests", Help: "Requests whose rows were predicted together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mercer_reloads_total", Help: "Model files read again, by model and whether they took the old one's place.",
		}, []string{"model", "result"}),
		flying: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mercer_requests_in_flight", Help: "Requests that are not yet answered.",
		}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.rows, m.batch, m.reloads, m.flying,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watch makes the state of the models part of the metrics.
func (m *metrics) watch(r *repository) { m.registry.MustRegister(newModels(r)) }

func (m *metrics) joined(requests, _ int) { m.batch.Observe(float64(requests)) }

func (m *metrics) reloaded(model string, good bool) {
	m.reloads.WithLabelValues(model, map[bool]string{true: "loaded", false: "refused"}[good]).Inc()
}

// answered counts a request. Routes are patterns, so that clients cannot make up new ones.
func (m *metrics) answered(w *recorder, took time.Duration) {
	route := w.route
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(w.status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
	if w.rows > 0 {
		m.rows.WithLabelValues(w.model).Add(float64(w.rows))
	}
}

// show answers GET /metrics.
func (m *metrics) show(w *recorder, r *http.Request) error {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// models tells the state of the models when it is asked.
type models struct {
	of                 *repository
	info, since, fault *prometheus.Desc
}

func newModels(of *repository) *models {
	version := []string{"model", "version"}
	return &models{
		of:    of,
		info:  prometheus.NewDesc("mercer_model_info", "1 for each version of a model that is served.", version, nil),
		since: prometheus.NewDesc("mercer_model_loaded_timestamp_seconds", "When the version was loaded.", version, nil),
		fault: prometheus.NewDesc("mercer_model_faulty",
			"1 where the model's file as it now is cannot be read, so that an older one is served.", []string{"model", "file"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *models) Describe(to chan<- *prometheus.Desc) {
	to <- c.info
	to <- c.since
	to <- c.fault
}

// Collect implements prometheus.Collector.
func (c *models) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, name := range c.of.names {
		for _, f := range c.of.files[name] {
			faulty := 0.0
			if f.fault.Load() != nil {
				faulty = 1
			}
			gauge(c.fault, faulty, name, f.path)
		}
		for _, l := range c.of.versions(name) {
			gauge(c.info, 1, name, l.version)
			gauge(c.since, float64(l.since.UnixMilli())/1e3, name, l.version)
		}
	}
}
