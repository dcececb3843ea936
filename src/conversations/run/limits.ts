/** Model turns in one run. In the last one the model is given no tools, so that it must answer. */
export const TURNS_MAX = 24;
/** Handovers in one run; a cycle of agents ends here. */
export const HANDOFFS_MAX = 8;
