/* A part of cuDNN's in another folder than the rest: all that is looked at is its name. */
extern const int fault_part;
const int fault_part = 1;
