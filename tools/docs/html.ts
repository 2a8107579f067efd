/** HTML for the pages: escaping, and colours for code. */

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const languages: Readonly<Record<string, RegExp>> = {
  json: /(?<name>"(?:\\.|[^"\\])*")(?=\s*:)|(?<text>"(?:\\.|[^"\\])*")|(?<number>-?\b\d+(?:\.\d+)?\b)|(?<word>\b(?:true|false|null)\b)/g,
  js: /(?<comment>\/\/.*)|(?<text>"(?:\\.|[^"\\])*"|`[^`]*`)|(?<number>\b\d+\b)|(?<word>\b(?:async|await|const|for|function|if|let|new|of|return|undefined)\b)/g,
  sh: /(?<comment>^#.*)|(?<name>^\w+(?==))|(?<text>"(?:\\.|[^"\\])*"|'[^']*')|(?<word>^curl\b|(?<=\s)-[A-Za-z]+\b)/gm,
};

/** Highlights code: wraps its parts in spans. */
export function highlight(code: string, language: string): string {
  const pattern = languages[language];
  if (pattern === undefined) return escapeHtml(code);
  let html = "";
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ["text"];
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
