/** Text of a person: in its own direction, and without making the page wider. */
export function Words({ children }: { readonly children: string }) {
  return <bdi className={wrapping(children)}>{children}</bdi>;
}

/** Breaks text inside a word only if the word is long: a table gets its columns as narrow as it may. */
export function wrapping(text: string): string {
  return /[^\s-]{28}/.test(text) ? "wraps" : "words";
}
