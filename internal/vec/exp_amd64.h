// Places in the table of constants of exp.go, in bytes.
#define BIG 0
#define LOW 8
#define MAGIC 16
#define LOG2E 24
#define LN2HI 32
#define LN2LO 40
#define TERM13 48
