/* A part of cuDNN that lies in another folder than the other parts. Only its name is used. */
extern const int fault_part;
const int fault_part = 1;
