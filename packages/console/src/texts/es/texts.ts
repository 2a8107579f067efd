import { countedText, wholeText } from "../decimals.ts";
import type { texts as english } from "../en/texts.ts";
import type { More, Texts } from "../languages.ts";
import { actionTexts } from "./actions.ts";
import { errorTexts } from "./errors.ts";
import { fieldTexts } from "./fields.ts";
import { reportTexts } from "./reports.ts";
import { saleTexts } from "./sales.ts";
import { sessionTexts } from "./session.ts";
import { setupPages, setupTexts } from "./setup.ts";
import { webhookTexts } from "./webhooks.ts";

/** Every text of the console, in Spanish. */
export const texts: Texts<typeof english> & More = {
  product: "Consola de fidelización",
  loading: "Cargando",
  close: "Cerrar",
  print: "Imprimir",
  none: "ninguno",
  yes: "Sí",
  no: "No",
  points: "puntos",
  megabytes: (count) => `${count} MB`,
  all: "Cualquiera",
  ofAllKinds: ": todos",

  shell: {
    skip: "Ir al contenido",
    menu: "Menú",
    business: "Empresa",
    otherCells: "Empresas de otras celdas",
    sandbox: "Un entorno de pruebas: aquí nada es real.",
    sandboxOf: (name) => `Pruebas: ${name}`,
    zone: (zone) => `Zona horaria: ${zone}`,
    light: "Usar colores claros",
    dark: "Usar colores oscuros",
    signOut: "Cerrar sesión",
  },

  menu: {
    groups: { daily: "Día a día", setup: "Configuración", technical: "Conexiones", service: "Servicio" },
    pages: {
      today: "Hoy",
      members: "Miembros",
      cards: "Tarjetas",
      sales: "Ventas",
      transactions: "Movimientos",
      reports: "Informes",
      ...setupPages,
      integrations: "Integraciones",
      webhooks: "Webhooks",
      events: "Eventos",
      requests: "Peticiones",
      audit: "Registro",
      businesses: "Empresas",
      accounts: "Cuentas",
      system: "Sistema",
      sandbox: "Reloj de pruebas",
    },
  },

  search: {
    title: "Buscar en todo",
    keys: "Ctrl K",
    help: "Un nombre, teléfono, tarjeta, tique o página",
    nothing: "Sin resultados.",
    members: "Miembros",
    sales: "Ventas",
    actions: "Añadir",
    pages: "Páginas",
  },

  leave: {
    title: "¿Cerrar? Lo que ha escrito se pierde si no se ha guardado.",
    stay: "Seguir escribiendo",
    leave: "Cerrar",
  },

  missing: {
    title: "Aquí no hay nada",
    explanation: "La dirección no lleva a ninguna página, o su función no permite abrirla.",
    start: "Ir al inicio",
    elsewhere: "Si la empresa está en otra celda, abra la consola de esa celda:",
  },

  ...sessionTexts,

  failure: {
    tryAgain: "Reintentar",
    noResponse: "No se puede contactar con el servicio. Compruebe su conexión.",
    unexpected: "Algo ha fallado en esta página. Vuelva a cargarla.",
    request: (id) => `Número de la petición: ${id}`,
  },

  ...errorTexts,

  done: {
    "/op/members/page-link": "La dirección de la página",
    "/op/operators/create": "La cuenta está creada.",
    "/op/operators/reset": "La nueva invitación está creada.",
    "/op/members/adjust-points": "Los puntos están corregidos.",
    "/op/members/adjust-wallet": "El monedero está corregido.",
    "/op/members/settle": "Los puntos están al día.",
    "/op/reward-points/redeem": "Los puntos están canjeados.",
    "/op/reward-points/reverse": "El movimiento está anulado.",
    "/op/wallet/reverse": "El movimiento está anulado.",
    "/op/vouchers/redeem": "El vale está canjeado.",
    "/op/vouchers/create-codes": "Los códigos están creados. Guárdelos en un archivo.",
    "/op/session/change-password": "Contraseña cambiada.",
  },

  forms: {
    parts: {
      "": "",
      gives: "Qué reciben los miembros",
      when: "Cuándo",
      what: "Por qué artículos",
      who: "Para quién y dónde",
      limits: "Límites",
      rules: "Precio y validez",
      code: "Un código que todos pueden usar",
    },
    save: "Guardar",
    cancel: "Cancelar",
    required: "Este campo es obligatorio.",
    wholeNumber: "Escriba un número entero, por ejemplo 120.",
    day: (example) => `Escriba una fecha con las cuatro cifras del año, por ejemplo ${example}.`,
    dayAlone: (example) => `Escriba la fecha sin la hora, por ejemplo ${example}.`,
    noDay: (example, withTime) =>
      `Esta fecha ${withTime ? "o esta hora " : ""}no existe. Ejemplo: ${example}.`,
    dayPattern: { day: "DD", month: "MM", year: "AAAA", time: "hh:mm" },
    calendar: "Elegir en el calendario",
    time: (example) => `Escriba una hora, por ejemplo ${example}.`,
    notClear: (one, other) => `Puede ser ${one} o ${other}: escríbalo con todos los decimales.`,
    amount: (decimals) =>
      `Escriba un importe, por ejemplo ${decimals === 0 ? "12" : `12,${"50".padEnd(decimals, "0").slice(0, decimals)}`}.`,
    atLeast: (minimum) => `Como mínimo ${minimum}.`,
    atMost: (maximum) => `Como máximo ${maximum}.`,
    taken: "Otro miembro ya lo tiene.",
    noChoice: "Sin elegir",
    noneYet: (page) => `Todavía no hay. Añada uno en la página «${page}».`,
    noMatch: "Sin resultados.",
    filters: (set) => (set === 0 ? "Filtros" : `Filtros (${set})`),
    withoutFilter: "Quitar este filtro",
    choose: "Elegir…",
    chooseFile: "Elegir un archivo",
    noPicture: "Esta imagen no se puede leer aquí. Elija un archivo PNG o JPEG.",
    record: (number) => `Tarifa ${number}`,
    addRecord: "Añadir una tarifa",
    removeRecord: (number) => `Quitar la tarifa ${number}`,
    titleOf: (label, name) => (name === "" ? label : `${label}: ${name}`),
    oneOf: (labels) => `Rellene uno de estos: ${labels.join(" o ")}.`,
    unknownOutcome: "No se sabe si el servicio lo ha guardado. Reintente: no puede guardarse dos veces.",
  },

  tables: {
    empty: "Aquí todavía no hay nada.",
    actions: "Acciones",
    noneHere: "Sin resultados en esta parte de la lista.",
    newest: "Más recientes",
    older: "Anteriores",
    position: ({ from, to, total }) => `${wholeText(from)}–${wholeText(to)} de ${wholeText(total)}`,
    page: (page) => `Página ${page}`,
    first: "Primera página",
    previous: "Página anterior",
    next: "Página siguiente",
    last: "Última página",
    columns: "Columnas",
    csv: "Guardar como CSV",
    saved: (rows) => `Líneas en el archivo: ${wholeText(rows)}`,
  },

  members: {
    title: "Miembros",
    searchHelp: "Nombre, teléfono, correo electrónico o número de cliente",
    empty: "Todavía no hay miembros.",
    noneFound: "Ningún miembro coincide.",
    similar: "Nombres parecidos",
  },

  member: {
    erased: "Miembro borrado",
    number: (contactId) => `Miembro ${contactId}`,
    inactive: "Este miembro está desactivado.",
    mergedInto: "Se fusionó con",
    noTier: "Ninguno",
    worth: (amount) => `Valen ${amount}`,
    expires: (points, day) => `${countedText(points, "caduca", "caducan")} después del ${day}`,
    pending: (points, day) => `${countedText(points, "más disponible", "más disponibles")} desde el ${day}`,
    owed: (points) => `Debe ${wholeText(points)}`,
    tierUntil: (day) => `Hasta el ${day}`,
    tierByHand: "Asignado a mano",
    keepTier: (amount, from, until) => `Para mantenerlo: ventas de ${amount} más, del ${from} al ${until}.`,
    keepsTier: "Se renovará, si no se reembolsan ventas.",
    nextTier: (amount, tier) => `${amount} más para ${tier}`,
    nextTierSoon: (tier) => `Alcanza ${tier} con la próxima venta`,
    reachBy: (day) => `hasta el ${day}`,
    progress: (tier) => `Progreso hacia ${tier}`,
    tabs: {
      points: "¿Por qué estos puntos?",
      vouchers: "Vales",
      stamps: "Tarjetas de sellos",
      cards: "Tarjetas",
      sales: "Ventas",
      timeline: "Historial",
      profile: "Perfil",
    },
  },

  correction: {
    title: "Corregir un saldo",
    account: "Saldo",
    accounts: { points: "Puntos", wallet: "Monedero" },
    balanceNow: (balance) => `El saldo es ${balance}.`,
    order:
      "Los puntos que añade no caducan. Los puntos se quitan en este orden: primero los que no son de una venta registrada, después los que caducan antes.",
    submit: "Corregir el saldo",
  },

  pointsHistory: {
    lots: "Los puntos y cuándo caducan",
    byHand: "Sin venta registrada",
    origins: { sale: "Venta", occasion: "Ocasión o entrega masiva", by_hand: "Importación" },
    noLots: "Este miembro no tiene puntos ahora.",
    statement: "Cómo se formó el saldo",
    noEntries: "Este miembro nunca ha tenido puntos.",
    missing: "¿Faltan puntos de una compra? La página de la venta dice por qué.",
    receipt: "Buscar el tique",
  },

  memberVouchers: {
    ofSale: (saleId) => `Reembolse la venta ${saleId} para devolverlo`,
    empty: "Este miembro nunca ha tenido un vale.",
  },

  memberSales: { empty: "No hay ventas de este miembro." },

  timeline: {
    empty: "Todavía no ha pasado nada.",
    audit: "Quién cambió qué",
    obstacles: {
      insufficient_balance: "El dinero o su bonificación se ha gastado, así que no se puede anular.",
      voucher_not_usable: "Su vale se ha usado o ha caducado, así que no se puede anular.",
    },
  },

  memberActions: {
    more: "Más",
    export: "Guardar los datos en un archivo",
  },

  merge: {
    submit: "Fusionar",
    with: "Fusionar con",
    tier: (name, changed) => `Nivel después: ${name}${changed ? " (nuevo)" : ""}.`,
  },

  today: {
    title: "Hoy",
    sales: "Ventas",
    refunded: (amount) => `${amount} reembolsados`,
    saleCount: (count) => countedText(count, "venta", "ventas"),
    pointsGiven: "Puntos dados",
    pointsUsed: "Puntos canjeados",
    activeMembers: "Miembros activos",
    newMembers: (count) => countedText(count, "nuevo", "nuevos"),
    outstanding: "Lo que tienen los miembros",
    points: "Puntos",
    worth: (amount) => `Valen ${amount}`,
    pending: (points) => `${countedText(points, "más pendiente", "más pendientes")}`,
    expiring: "Próximos en caducar",
    nothing: "Nada",
    atEndOf: (month) => `Puntos que caducan en ${month}`,
    wallet: "Monederos",
    vouchers: "Vales",
    voucherCount: (count) => countedText(count, "vale", "vales"),
    weeks: "Las últimas doce semanas",
    service: "El servicio",
  },

  actions: actionTexts,
  reports: reportTexts,

  sales: {
    title: "Ventas",
    noneFound:
      "Ninguna venta coincide. Compruebe el tique y los filtros. Si la caja envió la venta, búsquela en «Peticiones»: puede que se rechazara. Las ventas antiguas quizá estén solo en «Movimientos».",
    empty: "Todavía no hay ventas.",
  },

  transactions: {
    title: "Movimientos",
    explanation: "Cada cambio de puntos, monederos, vales y ventas.",
    empty: "Todavía no hay movimientos.",
    noneFound: "Ningún movimiento coincide.",
  },

  ...saleTexts,
  ...setupTexts,
  ...webhookTexts,
  ...fieldTexts,
};
