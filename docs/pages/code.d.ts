/** The types of code.js, for the build. */
export function escapeHtml(text: string): string;
export function highlight(code: string, language: string): string;
export const samples: readonly {
  readonly name: string;
  readonly language: string;
  code(path: string, body: object): string;
}[];
