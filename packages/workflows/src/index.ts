/** What a workflow author imports. */
export {};
