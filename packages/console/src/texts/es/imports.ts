import { countedText, wholeText } from "../decimals.ts";
import type { importTexts as english } from "../en/imports.ts";
import { aboutFiles, type FileSentences } from "../files.ts";
import type { Texts } from "../languages.ts";
import { aboutFields } from "../problems.ts";
import { bySentence, type Sentences, translator } from "../translate.ts";
import { problemSentences } from "./problems.ts";

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
  deleteFile: "Eliminar el archivo",
  fileDeleted: "El archivo está eliminado.",
  failed: "Esto no puede continuar.",
  chooseColumns: "Elija las columnas abajo.",
  columns: "Columnas del archivo",
  noColumn: "Ninguna columna",
  unused: (columns) => `No se importan: ${columns}`,
  checkFirst: "Comprobar el archivo",
  check: "Comprobar de nuevo",
  options: "Cambiar cómo se lee",
  otherKind: "Importar como otro tipo de datos",
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
  [
    /^(.+) must be an international phone number such as (\S+), with \+ and the country code; with country, national numbers are understood\.$/,
    "$1 debe ser un número internacional como $2, con + y el prefijo del país. Con un país, también se entienden los números nacionales.",
  ],
  [/^(.+) names no (?:tier|location|member|voucher definition)\.$/, "$1: aquí no existe."],
  [/^(.+) is another member's\.$/, "$1 ya es de otro miembro."],
  [
    /^(.+) differs from the (?:member|sale|voucher) with the same (.+)\.$/,
    "$1 es distinto en el registro con el mismo dato en «$2», que ya existe o está más arriba en el archivo.",
  ],
  [/^(.+) is the same as in an earlier line\.$/, "$1 ya está en una línea anterior."],
  [
    /^(.+) is not UTF-8 \(encoding Windows-1252 reads files of older spreadsheets\)\.$/,
    "$1 no está en UTF-8. La codificación Windows-1252 lee archivos de hojas de cálculo antiguas.",
  ],
  [/^(.+) must be a day such as (\S+)\.$/, "$1 debe ser un día como $2."],
  [
    /^Opening balances of (.+) and (.+) points in ([\d,]+) lines?, the largest in a wallet (.+)\.$/,
    "Saldos iniciales: #1 y #2{punto|puntos} en #3{línea|líneas}, el mayor monedero #4.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, on (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventas: #1 en #2{línea|líneas}, el #3, la menor #4, la mayor #5.",
  ],
  [
    /^Sales of (.+) in ([\d,]+) lines?, from (\S+) to (\S+), the smallest (.+), the largest (.+)\.$/,
    "Ventas: #1 en #2{línea|líneas}, del #3 al #4, la menor #5, la mayor #6.",
  ],
  [
    /^Vouchers of (.+) in ([\d,]+) lines? with an? (.+), the largest (.+)\.$/,
    "Vales: #1 en #2{línea|líneas} con «$3», el mayor #4.",
  ],
  [/^(\d+) \(as (\d+)\)$/, "$1 (como $2)"],
  [/^(\d+) \(as (\d+)\), (.+)$/, "$1 (como $2), @3"],
  [
    /^([\d,]+) lines? repeats? (?:an )?earlier lines? of the file, and would be skipped: (.+)\.$/,
    "#1{línea repite|líneas repiten} otra del archivo y se omitirían: @2.",
  ],
  [
    /^([\d,]+) lines? ha(?:s|ve) the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart\. If they are the same sales, they would be recorded twice: import the file with the columns of the first time\.$/,
    "#1{línea tiene|líneas tienen} el miembro, el día y el importe de una venta ya registrada, y ningún número de recibo los distingue. Si son las mismas ventas, se registrarían dos veces: importe el archivo con las columnas de la primera vez.",
  ],
  [
    /^The points would never expire\. To let them expire, choose (.+)\.$/,
    "Los puntos no caducarían nunca. Para que caduquen, elija $1.",
  ],
  [/^The points could be spent until (\S+)\.$/, "Los puntos se podrían usar hasta el #1."],
  [
    /^The sales would earn no points, and the lines of their receipts would not be kept\. To let them earn, choose (.+)\.$/,
    "Las ventas no darían puntos, y no se guardarían las líneas de sus tiques. Para que los den, elija $1.",
  ],
  [
    /^The sales would earn no points\. To let them earn, choose (.+)\.$/,
    "Las ventas no darían puntos. Para que los den, elija $1.",
  ],
  [
    /^The sales would earn points by the rules of their days\.$/,
    "Las ventas darían puntos según las reglas de sus días.",
  ],
  [/^Refunds that were left out: ([\d,]+) lines?, (.+)\.$/, "Reembolsos omitidos: #1{línea|líneas}, #2."],
  [/^Refunds: ([\d,]+) lines?, (.+)\.$/, "Reembolsos: #1{línea|líneas}, #2."],
  [
    /^In ([\d,]+) of ([\d,]+) receipts of several lines, all lines have the same amount, and it is added up\. If it is that of the whole receipt, say which column has the amounts of lines, as (.+) or (.+), or choose (.+) of (.+), such as 0\.$/,
    "En #1 de #2{tique|tiques} de varias líneas, todas las líneas tienen el mismo importe, y se suma. Si es el de todo el tique, elija la columna con los importes de las líneas como $3 o $4, o indique en $5 un texto para $6, por ejemplo 0.",
  ],
  [
    /^Records of several lines: ([\d,]+), such as lines (\d+) to (\d+)\. If a record should have one line, a quote is not closed there\.$/,
    "Registros de varias líneas: #1, por ejemplo las líneas $2 a $3. Si un registro debería tener una sola línea, ahí falta una comilla de cierre.",
  ],
  [/^The line has text behind a quoted text\.$/, "La línea tiene texto detrás de un texto entre comillas."],
  [
    /^(.+) differs within the receipt: with (.+) or (.+), it is that of the whole receipt\.$/,
    "$1 no es igual en todas las líneas del tique: con $2 o $3, es el importe de todo el tique.",
  ],
  [
    /^Lines name their customers by (.+), and where it is empty by (.+)\. If other names are the right ones, leave (.+) out in columns\.$/,
    "Las líneas identifican a su cliente con $1 y, si está vacío, con $2. Si lo correcto es otro dato, no elija ninguna columna para $3.",
  ],
  [
    /^Line (\d+) is the header\. What is before it is not imported\.$/,
    "La línea $1 tiene los nombres de las columnas. Lo anterior no se importa.",
  ],
  [
    /^Years of (.+) have two digits\. Those in the future are of the century before\.$/,
    "Los años de $1 tienen dos cifras. Los que están en el futuro son del siglo anterior.",
  ],
  [
    /^(.+) is a number that a spreadsheet has shortened\. Export the file again, or make the column text there\.$/,
    "$1 es un número que una hoja de cálculo ha acortado. Exporte el archivo de nuevo, o convierta la columna en texto allí.",
  ],
  [
    /^(.+) has a time that can't be read\. Times are such as (\S+) or (\d+:\d+ PM)\.$/,
    "$1 tiene una hora que no se puede leer. Las horas son como $2 o $3.",
  ],
  [/^(.+) must be a day without a time\.$/, "$1 debe ser un día sin hora."],
];

/** The sentences about files, by the English ones. */
const fileSentences: FileSentences = {
  where: "$1 en la línea $2",
  and: "@1; para @2",
  or: "@1 o @2",
  field: "&0",
  tooLarge: "El archivo tiene más de $1.",
  split: "Divídalo, e importe las partes una tras otra.",
  damaged: "El archivo está dañado o incompleto y no se puede descomprimir.",
  compress: "Comprímalo otra vez, y súbalo de nuevo.",
  archive: "El archivo zip contiene varios archivos, por ejemplo $1.",
  oneByOne: "Impórtelos uno a uno.",
  emptyArchive: "El archivo zip no contiene ningún archivo.",
  openQuote: "Una comilla que empieza en la línea $1 o después no se cierra.",
  longLine: "La línea $1 tiene más de $2 MB.",
  noCsv: "¿Falta una comilla de cierre, o no es un archivo CSV?",
  noText: "El archivo no es texto.",
  saveText: "Guarde una hoja de cálculo como CSV en UTF-8.",
  other: "El archivo es @1, no un archivo CSV.",
  picture: "una imagen",
  pdf: "un documento PDF",
  spreadsheet: "una hoja de cálculo",
  webPage: "una página web o XML",
  exportList: "Exporte la lista como CSV desde el sistema que la tiene.",
  saveList: "Ábralo, guárdelo como CSV en UTF-8, e importe ese archivo.",
  noLine: "El archivo no tiene ninguna línea que importar.",
  header: "La primera línea no es de título, así que las columnas tienen números.",
  letters:
    "Los nombres de las columnas tienen letras ilegibles. La codificación Windows-1252 lee archivos de hojas de cálculo antiguas.",
  noNamedColumn: "No hay ninguna columna «$1» para @2.",
  noColumn: "No hay ninguna columna para @1.",
  looksLike: "El archivo parece otra exportación: impórtelo como &1.",
  wholeName: "Una columna de nombres completos es el campo &1.",
  amounts: "El importe puede estar en @1.",
  phones: "Cada miembro tiene un número de teléfono.",
  addPhones:
    "Si otra exportación del sistema tiene los números, por ejemplo la de las direcciones, añádalos a este archivo.",
  twoColumns: "Hay dos columnas «$1».",
  theirNumbers: "Sus números son $1 y $2.",
  delimiter: "Con este separador, la línea $1 solo tiene una columna: $2 Pruebe el separador $3.",
  customers: "La lista no dice quiénes son los clientes.",
  query: "Importe en su lugar el archivo de esta consulta, en «Advanced Parameters > Database» ($1).",
  system: "El archivo es una exportación de $1, cuyas columnas se conocen.",
  unknownSystem: "Las columnas de &1 de $2 no se conocen.",
  leaveSystem: "No elija ningún sistema, y asigne las columnas.",
  empty: "Donde @1 está vacío, será «$2».",
  wrongEmpty: "El texto «$1» para celdas vacías de @2 no es posible.",
  notImported: "La columna $1 no se importa.",
  money: "Si es el dinero de los miembros, elíjala como @1.",
  units:
    "Todos los importes se entienden como 12,50, también los que no tienen decimales (@1), porque la mayoría se escriben como @2.",
  unclearUnit:
    "No está claro qué significan importes como @1: elija en $3 «Como 12,50» para #2 o «Como 1250» para #4.",
  decimals: "Los decimales de los importes van después de «$1» (@2).",
  someDecimals:
    "Los decimales de algunos importes van después de una coma, los de otros después de un punto.",
  thousands: "Los miles de los puntos se separan con «$1» (@2).",
  fractions: "Los puntos son enteros: se quitan los decimales en #1{línea|líneas}, por ejemplo @2.",
  unclearDays: "Los días de @1 pueden ser $2 o $3 (@4), y ninguno lo aclara.",
  days: "Los días de @1 tienen la forma $2 (@3).",
  someDays: "Los días de @1 tienen varias formas.",
  place: "$1 (#2{línea|líneas})",
  morePlaces: "$1 (#2{línea|líneas}), @3",
  places: "Nombres que no son de ninguna tienda: @1.",
  sayPlaces: "Elija abajo qué significan.",
  leftOut: "Se omiten: #1{línea|líneas} @2.",
  withText: "con $1",
  withoutCustomer: "sin cliente",
  oneSale: "Las líneas seguidas de un tique son una sola venta.",
  joined: "Líneas añadidas al tique de la línea anterior: #1.",
  withLines: "Ventas con las líneas de su tique: #1.",
  shortLines: "En #1 de ellas falta a las líneas una parte del importe, que pasa a ser otra línea.",
  overLines: "En #1 de ellas las líneas suman más que el importe, y se reducen en proporción.",
  pointsNow: "Ventas importadas antes sin puntos que ahora los dan: #1.",
  withoutPoints: "Ventas ya importadas sin puntos: #1.",
  givePoints: "Para que den sus puntos, una vez, elija $1.",
  reused: "Líneas con $1 de otra venta: #2.",
  restart: "Si los números de los tiques empiezan de nuevo cada día o en cada tienda, elíjalo en $1.",
  oneReceipt: "Si son líneas de un mismo tique, elija $1.",
  longReceipt: "El tique de la línea $1 tiene más de #2 líneas.",
  otherColumn: "¿Es otra columna la de $1?",
  apart: "Las líneas de $1 no van seguidas, o son distintas: vea las líneas $2 y $3.",
  inOrder: "Las líneas de un tique deben ir seguidas, con el mismo cliente y la misma hora.",
  sort: "Ordene el archivo por $1.",
  failed: "El servicio ha fallado en estas líneas.",
  nothing: "No se ha importado nada.",
  checkAgain: "Compruebe el archivo de nuevo, o pida ayuda.",
  stays: "Lo que se importó se queda.",
  startAgain: "Inicie la importación de nuevo, o pida ayuda.",
  moves: "La empresa se traslada a otra base de datos.",
  afterMove: "Inicie la importación de nuevo después, o importe el archivo allí.",
  erased: "$1 es de un miembro borrado.",
  timeZone: "$1 debe ser una zona horaria como $2.",
  refunded: "$1 se reembolsó en parte, y ya no puede dar puntos.",
};

export const importSentence = bySentence(
  translator(said),
  translator([...said, ...aboutFiles(fileSentences), ...aboutFields(problemSentences)]),
);
