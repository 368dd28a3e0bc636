/* A part of cuDNN in another folder than the others; only its name is used. */
extern const int fault_part;
const int fault_part = 1;
