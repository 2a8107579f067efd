/**
 * The parameters of a statement whose text is put together from parts. The driver's own fragments are taken apart
 * again for each call, and a value that several of them name is sent as often: of a statement with many parts, that
 * costs more than the database takes for it.
 */
export class Parameters {
  readonly values: (string | number)[] = [];

  /** @returns what stands for the value in the statement, as often as it is needed */
  add(value: string | number, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
