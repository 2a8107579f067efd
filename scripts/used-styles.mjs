/**
 * The styles of the components that the console uses. Mantine has one style sheet for all components, half of which the console does
 * not have. Each class of a component is unique, and is in the code that uses it.
 */

/**
 * @param {string} css minified
 * @param {string} code of the console
 */
export function usedStyles(css, code) {
  const used = new Set(code.match(/\bm_[0-9a-f]+\b/g));
  return keep(css, (selector) => {
    // What is in parentheses only says where a component is, and may be one of several.
    const classes = selector.replace(/\((?:[^()]|\([^()]*\))*\)/g, "").match(/(?<=\.)m_[0-9a-f]+\b/g) ?? [];
    return classes.every((name) => used.has(name));
  });
}

/**
 * @param {string} css
 * @param {(selector: string) => boolean} isUsed
 * @returns {string}
 */
function keep(css, isUsed) {
  let kept = "";
  for (let at = 0; at < css.length; ) {
    const open = css.indexOf("{", at);
    if (open === -1) return kept + css.slice(at);
    const close = endOf(css, open);
    // A statement without a block, such as a character set, may come before.
    const start = css.lastIndexOf(";", open) + 1 > at ? css.lastIndexOf(";", open) + 1 : at;
    const [before, prelude, body] = [
      css.slice(at, start),
      css.slice(start, open),
      css.slice(open + 1, close),
    ];
    kept += before + rule(prelude.trim(), body, isUsed);
    at = close + 1;
  }
  return kept;
}

/**
 * @param {string} prelude
 * @param {string} body
 * @param {(selector: string) => boolean} isUsed
 */
function rule(prelude, body, isUsed) {
  if (/^@(?:media|supports|layer|container)\b/.test(prelude)) {
    const inner = keep(body, isUsed);
    return inner.trim() === "" ? "" : `${prelude}{${inner}}`;
  }
  if (prelude.startsWith("@")) return `${prelude}{${body}}`;
  const selectors = prelude.split(/,(?![^(]*\))/).filter(isUsed);
  return selectors.length === 0 ? "" : `${selectors.join(",")}{${body}}`;
}

/**
 * The end of a block.
 * @param {string} css
 * @param {number} open
 */
function endOf(css, open) {
  let depth = 0;
  for (const { 0: brace, index } of css.slice(open).matchAll(/[{}]/g)) {
    depth += brace === "{" ? 1 : -1;
    if (depth === 0) return open + index;
  }
  return css.length;
}
