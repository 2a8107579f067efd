/** How much of a file one request of an import carries. */

export const mostLines = 2000;
/** The longest text of a field that a request may carry. Fields have shorter limits of their own. */
export const longestText = 1000;
/** Two thousand lines with long names and references fit in. */
export const importBodyBytes = 4 * 1024 * 1024;
