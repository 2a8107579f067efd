/** The labels of the other fields. In English, the names of these fields in words are their labels. */
export const fieldNames = {} as const;
