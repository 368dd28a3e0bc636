/* Stands in for a part of cuDNN that is in another folder than the other parts. Only its file name
 * matters. */
extern const int fault_part;
const int fault_part = 1;
