import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import { type Sentences, sayImport } from "../import-sentences.ts";
import type { Texts } from "../languages.ts";

const lines = (count: number) => countedText(count, "línea", "líneas");

/** The texts about imports. Only their pages have them. */
export const importTexts: Texts<typeof english> = {
  title: "Importaciones",
  explanation:
    "Miembros, ventas y vales de archivos CSV. Un archivo se comprueba antes de importarlo. Puede corregirlo e importarlo de nuevo: ninguna línea se importa dos veces. Lo que ya se importó se queda como está, con sus saldos y niveles.",
  what: "Qué contiene el archivo",
  names: { members: "Miembros", sales: "Ventas", vouchers: "Vales" },
  file: "Archivo",
  choose: "Elegir un archivo CSV…",
  upload: "Subir y comprobar",
  accepted: (columns) =>
    `La primera línea nombra las columnas, por ejemplo: ${columns}. No todas son obligatorias. Si su archivo tiene otros nombres, asígnelos después de subirlo. El archivo puede estar comprimido, con gzip o zip.`,
  tooLarge: (gigabytes) => `El archivo tiene más de ${gigabytes} GB. Divídalo, e importe las partes.`,
  uploading: "El archivo se está subiendo. No salga de esta página.",
  empty: "No se ha subido nada en los últimos días.",
  notUploaded:
    "Faltan partes del archivo. Si no se está subiendo en otra pestaña, cancele esto, y suba el archivo de nuevo.",
  failed: "Esto no puede continuar.",
  chooseColumns: "Elija las columnas abajo.",
  columns: "Columnas del archivo",
  noColumn: "Ninguna columna",
  unused: (columns) => `No se importan: ${columns}`,
  checkFirst: "Comprobar el archivo",
  check: "Comprobar de nuevo",
  options: "Cambiar cómo se lee",
  otherKind: "Importar como otra cosa",
  start: (count) => `Importar ${lines(count)}`,
  goOn: "Continuar",
  checking: (done) => `El archivo se está comprobando: ${lines(done)} hasta ahora.`,
  importing: (done, total) =>
    `El archivo se está importando: ${wholeText(done)} de ${lines(total)}. Puede salir de esta página.`,
  place: (name) => `Tienda: ${name}`,
  lines: (count) => lines(count),
  unknownPlace: "Desconocida",
  leftOutPlace: "Omitir estas líneas",
  ofCheck: {
    title: "Qué haría una importación",
    lines: "Líneas",
    imported: "Se pueden importar",
    skipped: "Ya importadas",
    rejected: "Se rechazarían",
    left_out: "Se omitirían",
    reasons: "Líneas que se rechazarían",
  },
  ofImport: {
    title: "Qué se importó",
    lines: "Líneas",
    imported: "Importadas",
    skipped: "Ya importadas",
    rejected: "Rechazadas",
    left_out: "Omitidas",
    reasons: "Líneas rechazadas",
  },
  written: (encoding, delimiter) =>
    `La codificación es ${encoding.toUpperCase()}. Entre las columnas: ${delimiter.toLowerCase()}.`,
  save: "Guardar las líneas rechazadas",
};

const said: Sentences = [
  [
    /^(.+) is required\. If another column has numbers, say it as (.+); if not, add them to the file\.$/,
    "Falta $1. Si otra columna tiene números, elíjala como $2; si no, añádalos al archivo.",
  ],
  [
    /^(.+) is required\. To import such members, choose (.+) of (.+), such as -\.$/,
    "Falta $1. Para importar estos miembros, indique en $2 un texto para $3, por ejemplo «-».",
  ],
  [/^(.+) is required\.$/, "Falta $1."],
  [
    /^(.+) must be an international phone number such as (\S+), with \+ and the country code, or a national one of (\w+)\.$/,
    "$1 debe ser un número internacional como $2, con + y el prefijo del país, o uno nacional ($3).",
  ],
  [
    /^(.+) must be an international phone number such as (\S+), with \+ and the country code; with country, national numbers are understood\.$/,
    "$1 debe ser un número internacional como $2, con + y el prefijo del país. Con un país, también se entienden los números nacionales.",
  ],
  [/^(.+) must be an e-mail address such as (\S+)\.$/, "$1 debe ser un correo electrónico como $2."],
  [/^(.+) must be at least (.+)\.$/, "$1 debe ser como mínimo $2."],
  [/^(.+) must have at most ([\d,]+) characters\.$/, "$1 debe tener como máximo $2 caracteres."],
  [/^(.+) must be at most (.+)\.$/, "$1 debe ser como máximo $2."],
  [/^(.+) names no (?:tier|location|member|voucher definition)\.$/, "$1: aquí no existe."],
  [/^(.+) is another member's\.$/, "$1 ya es de otro miembro."],
  [
    /^(.+) is the same as in an earlier line, but other values differ\.$/,
    "$1 ya está en una línea anterior, pero con otros valores.",
  ],
  [/^(.+) is the same as in an earlier line\.$/, "$1 ya está en una línea anterior."],
  [
    /^(.+) is not UTF-8 \(encoding Windows-1252 reads files of older spreadsheets\)\.$/,
    "$1 no está en UTF-8. La codificación Windows-1252 lee archivos de hojas de cálculo antiguas.",
  ],
  [/^(.+) must be an amount such as (\S+)\.$/, "$1 debe ser un importe como $2."],
  [/^(.+) must be a day such as (\S+)\.$/, "$1 debe ser un día como $2."],
  [/^(.+) must be a whole number\.$/, "$1 debe ser un número entero."],
  [/^(.+) must not be in the future\.$/, "$1 no debe estar en el futuro."],
  [/^ \(([\d,]+) of them imported before\)$/, " (#1 ya importadas)"],
  [
    /^Opening balances of (.+) and (.+) points in ([\d,]+) lines?( \(.+\))?, the largest in a wallet (.+)\.$/,
    "Saldos iniciales: #1 y #2 puntos en #3 líneas@4, el mayor monedero #5.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?( \(.+\))?, on (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventas: #1 en #2 líneas@3, el #4, la menor #5, la mayor #6.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?( \(.+\))?, from (\S+) to (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventas: #1 en #2 líneas@3, del #4 al #5, la menor #6, la mayor #7.",
  ],
  [
    /^Vouchers of (.+) in ([\d,]+) lines?( \(.+\))? with an? (.+), the largest (.+)\.$/,
    "Vales: #1 en #2 líneas@3 con «$4», el mayor #5.",
  ],
  [
    /^([\d,]+) lines? repeats? (?:an )?earlier lines? of the file, and would be skipped: (.+)\.$/,
    "Líneas que repiten otra del archivo y se omitirían: #1 – $2.",
  ],
  [
    /^The points would never expire\. To let them expire, choose (.+)\.$/,
    "Los puntos no caducarían nunca. Para que caduquen, elija $1.",
  ],
  [/^The points could be spent until (\S+)\.$/, "Los puntos se podrían usar hasta el #1."],
  [
    /^The sales would earn no points, and the lines of their receipts would not be kept\. To let them earn, choose (.+)\.$/,
    "Las ventas no darían puntos, y no se guardarían las líneas de sus recibos. Para que los den, elija $1.",
  ],
  [
    /^The sales would earn no points\. To let them earn, choose (.+)\.$/,
    "Las ventas no darían puntos. Para que los den, elija $1.",
  ],
  [
    /^The sales would earn points by the rules of their days\.$/,
    "Las ventas darían puntos según las reglas de sus días.",
  ],
  [/^Refunds that were left out: ([\d,]+) lines?, (.+)\.$/, "Reembolsos omitidos: líneas: #1, #2."],
  [/^Refunds: ([\d,]+) lines?, (.+)\.$/, "Reembolsos: líneas: #1, #2."],
];

export const importSentence = sayImport(said);
