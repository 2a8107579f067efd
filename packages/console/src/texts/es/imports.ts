import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
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
