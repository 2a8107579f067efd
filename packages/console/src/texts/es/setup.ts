import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/setup.ts";
import type { More, Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "punto", "puntos");
const salesOf = (count: number) => countedText(count, "venta", "ventas");

/** The texts of the pages on which a business sets up its programme. */
export const setupPages: Texts<typeof english.setupPages> = {
  setup: "Primeros pasos",
  locations: "Tiendas",
  tiers: "Niveles",
  programs: "Programas",
  promotions: "Promociones",
  "stamp-cards": "Tarjetas de sellos",
  occasions: "Ocasiones",
  referrals: "Recomendaciones",
  vouchers: "Vales",
  topups: "Recargas",
  rules: "Reglas",
  imports: "Importaciones",
  passes: "Página del miembro",
  segments: "Segmentos",
  "bulk-grants": "Entregas masivas",
};

/** Also of the members of promotions. */
export const occasionKinds: Texts<typeof english.occasionKinds> = {
  birthday: "Por su cumpleaños",
  anniversary: "En el aniversario de su alta",
  tier_reached: "Al alcanzar un nivel",
  referred: "Fue recomendado por un miembro",
  referrer: "Ha recomendado a un miembro",
  bulk: "Dado a muchos a la vez",
};

export const setupLabels: Texts<typeof english.setupLabels> = {
  segment_id: "Segmento",
  filters: "Qué miembros",
  members_found: "Miembros",
  members_given: "Lo recibieron",
  members_skipped: "No lo recibieron",
  earn_on: "Los puntos se ganan sobre",
  points_validity: "Los puntos valen durante",
  points_validity_period: "Días, semanas, meses o años",
  points_expiry_rounding: "Los puntos caducan al final del",
  tier_downgrade: "Nivel después de uno que termina",
  tier_grace_days: "Días que se mantiene un nivel terminado",
  tier_after_refund: "Tras el reembolso de su venta, un nivel",
  expiry: "Válido durante",
  expiry_period: "Días, semanas, meses o años",
  delimiter: "Entre las columnas",
  amount_unit: "Importes",
  decimal: "Antes de los decimales",
  defaults: "Textos de celdas vacías",
  sample: "Como se lee",
  file_name: "Archivo",
  lines_done: "Líneas",
  date_format: "Cómo se escriben los días",
  exported_by: "Sistema que lo exportó",
  message: "Motivo",
  sold_at: "Fecha de la venta",
  earn: "Las ventas dan puntos",
  earn_imported: "También las ventas importadas sin puntos",
  what: "Resultado",
  current: "Con las reglas de hoy",
  proposed: "Con las nuevas reglas",
  current_points: "Con las reglas de hoy",
  proposed_points: "Con las nuevas reglas",
  value_points: "Puntos que valen un importe",
  value_amount: "Importe que valen",
  redeem_minimum_points: "Mínimo de puntos para pagar",
  pending_days: "Días hasta poder usar los puntos",
  clawback_shortfall: "Reembolso de puntos canjeados",
  restored_points_valid_days: "Días que valen los puntos devueltos",
  expiring_notice_days: "Días de aviso antes de un fin",
  anonymous_cards_earn: "Las tarjetas anónimas ganan puntos",
  referral_minimum_amount: "Primera venta de una recomendación, mínimo",
  referral_hold_days: "Días hasta que cuentan las recomendaciones",
  referral_most_per_year: "Recomendaciones al año, máximo",
  gift_validity: "Las tarjetas regalo valen durante",
  gift_validity_period: "Días, semanas, meses o años de las tarjetas regalo",
  gift_maximum_amount: "Máximo dinero en una tarjeta regalo",
  enable_rp: "Las ventas dan puntos",
  rp_sales_calculation_period: "Las ventas cuentan para niveles durante",
  rp_sales_calculation_period_type: "Días, semanas, meses o años",
};

export const setupTexts: Texts<typeof english.setupTexts> = {
  locations: {
    title: "Tiendas",
    explanation:
      "Dónde compran los miembros. Una venta indica su tienda, y los vales y las recargas pueden ser para una de ellas.",
    empty: "Todavía no hay tiendas. Una venta necesita una.",
    closedName: (name) => `${name} (cerrada)`,
  },

  businesses: {
    title: "Empresas",
    explanation:
      "Cada una tiene sus miembros, sus reglas y su moneda. Un entorno de pruebas es una empresa para probar, con su propio reloj, y se puede eliminar. Para cerrar otra, cierre sus tiendas: sus datos se quedan.",
    empty: "Todavía no hay empresas.",
  },

  earning: {
    guide: "Configurar paso a paso",
    title: "Las ventas todavía no dan puntos",
    steps: {
      no_location: "Añada una tienda.",
      rewards_off: "Active los puntos.",
      no_program: "Elija el programa predeterminado.",
      program_without_rate: "Diga cuántos puntos da el programa predeterminado por un importe.",
      maximum_is_zero: "Aumente el máximo de puntos por venta del programa predeterminado: es 0.",
      no_integration: "Añada una integración que pueda registrar ventas.",
      no_sale: "Registre una venta que dé puntos.",
    },
  },

  tiers: {
    title: "Niveles",
    explanation:
      "Lo que los miembros alcanzan con sus compras. Un miembro alcanza un nuevo nivel con la venta siguiente.",
    empty: "Todavía no hay niveles. Los miembros no los necesitan para ganar puntos.",
  },

  memberStampCards: {
    stamps: (stamps, owed) => (owed > 0 ? `debe ${owed}` : String(stamps)),
    empty: "Ninguna tarjeta de sellos está activa, y este miembro no tiene.",
  },

  programs: {
    title: "Programas",
    explanation:
      "Cuántos puntos da una venta. Las reglas nombran el programa predeterminado; un nivel puede tener el suyo.",
    removeHelp: (name) => `¿Eliminar el programa ${name}? Los puntos ganados se quedan.`,
    unused: "Ahora ninguna venta da puntos con él.",
    usual: "Es el programa predeterminado: se aplica a las ventas si el nivel del miembro no tiene el suyo.",
    withoutUsual: "Sin él, estas ventas no dan nada.",
    ofTiers: (tiers, members) =>
      `Es el programa de ${tiers}. Miembros con este nivel: ${wholeText(members)}.`,
    withoutOfTiers: "Sin él, se aplica el programa predeterminado, si es otro.",
    empty: "Todavía no hay programas. Sin uno, las ventas no dan puntos.",
    example: ({ rates = [], excluded_categories: categories = [], excluded_skus: skus = [] }) =>
      rates.length + categories.length + skus.length === 0
        ? "Todas las líneas de un tique dan puntos con esta tarifa."
        : "",
    earnsNothing: (lines) => `${lines}: sin puntos`,
    paidWithMoney: (lines) => `${lines}: no se paga con puntos ni vales`,
    rate: {
      eachAmount: (points, amount) => `${pointsOf(points)} por cada ${amount}`,
      eachUnit: (points) => `${pointsOf(points)} por unidad`,
      ofLines: (lines, rate, example) => `${lines}: ${rate}, así que ${example}`,
      ofAmount: (example, earned) => `${example} dan ${earned}`,
      ofUnits: (units, earned) => `${countedText(units, "unidad da", "unidades dan")} ${earned}`,
    },
  },

  rules: {
    title: "Reglas",
    explanation: "Qué dan las ventas, cuánto valen los puntos y durante cuánto tiempo.",
    settings: "Ajustes de los puntos",
    rules: "Reglas de los puntos",
    suggestions: {
      "/op/programs/create":
        "No se aplica hasta que lo nombren las reglas o un nivel. Mire qué cambiaría como programa de todas las ventas.",
      "/op/promotions/create": "Puede ver qué habría dado en los últimos tres meses.",
    },
    newPromotion: (name) => `Por ${name}`,
    ofPromotion: (points, inSales) => `${pointsOf(points)} ${inSales}`,
    inSales: (sales) => `en ${salesOf(sales)}`,
    withoutLines: (sales) => `; no puede actuar en ${salesOf(sales)} sin líneas`,
    previewFirst: "Mire qué cambiaría antes de guardarlo.",
    preview: "Mostrar qué cambiaría",
    notPreviewed:
      "Esto no cambia lo que dan las ventas ni quién alcanza un nivel, así que no hay nada que comparar. Vale desde hoy.",
    outcome: (sales, day) => `Calculado con ${salesOf(sales)} desde el ${day}`,
    points: "Puntos ganados",
    worth: "Su valor",
    owed: (points) => `Valor de lo que tienen los miembros ahora: ${pointsOf(points)}`,
    capped: "Ventas en el máximo de puntos",
    inTier: (name) => `Miembros con el nivel ${name}`,
    withoutTier: "Miembros sin nivel",
    nobody: "Ningún miembro habría ganado otros puntos.",
    gains: "Miembros que más ganarían",
    losses: "Miembros que más perderían",
  },
};

/** What a promotion can give, and the states of an import. */
export const setupChoices: Texts<typeof english.setupChoices> & More["choices"] = {
  true: "Sí",
  false: "No",
  bulk_running: "En curso…",
  bulk_ended: "Entregado",
  bulk_cancelled: "Cancelado",
  bulk_failed: "Fallido",
  voucher: "Un vale",
  import_uploading: "Incompleto",
  import_uploaded: "Sin comprobar",
  import_checking: "Comprobando…",
  import_checked: "Comprobado",
  import_importing: "Importando…",
  import_cancelled: "Cancelado",
  import_ended: "Importado",
  import_failed: "Fallido",
};
