/** What is wrong with a file as a whole, or with the way it is to be read. The message is for the person who imports it. */
export class FileProblem extends Error {
  constructor(...sentences: readonly string[]) {
    super(sentences.join(" "));
  }
}
