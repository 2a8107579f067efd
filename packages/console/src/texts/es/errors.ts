import { momentText } from "../dates.ts";
import { countedText, wholeText } from "../decimals.ts";
import type { errorTexts as english } from "../en/errors.ts";
import type { More, Texts } from "../languages.ts";
import { choiceTexts } from "./choices.ts";

type Details = Readonly<Record<string, unknown>>;
type Money = (amount: number) => string;

const pointsOf = (count: unknown) => countedText(Number(count), "punto", "puntos");

/** Operations with one balance don't say which it is. */
const balanceText = (account: unknown, balance: unknown, money: Money, path: string) =>
  (account ?? (path.includes("points") ? "points" : "wallet")) === "points"
    ? pointsOf(balance)
    : money(Number(balance));

/** The texts of errors. */
export const errorTexts: Texts<typeof english> & Pick<More, "errors" | "problems"> = {
  errors: {
    unauthorized: "Su sesión ha terminado. Iníciela de nuevo.",
    sign_in_failed: "El nombre o la contraseña no son correctos.",
    invitation_not_valid: "Este enlace ya se ha usado o tiene más de 24 horas. Pida otro.",
    reauthentication_required: "Para esto hace falta su contraseña otra vez.",
    limit_exceeded: ({ unit, limit, left, resets_at }: Details, money: Money) => {
      const text = (value: unknown) => (unit === "points" ? pointsOf(value) : money(Number(value)));
      return `Es más de lo que puede corregir hoy. Disponible hasta el ${momentText(String(resets_at))}: ${text(left)} de ${text(limit)}. Pídaselo a alguien con un límite mayor.`;
    },
    insufficient_balance: ({ account, balance }: Details, money: Money, path: string) =>
      `El saldo no basta: es ${balanceText(account, balance, money, path)}.`,
    balance_limit_exceeded: ({ account, balance }: Details, money: Money, path: string) =>
      `El saldo sería demasiado grande: es ${balanceText(account, balance, money, path)}.`,
    balances_not_zero: ({ wallet, points, vouchers }: Details, money: Money) =>
      `El miembro todavía tiene algo: ${money(Number(wallet))} en el monedero, ${pointsOf(points)}, vales de ${money(Number(vouchers))}. Si puede perderse, escriba el motivo.`,
    refund_exceeds_sale: ({ refundable }: Details, money: Money) =>
      `No se puede reembolsar más de ${money(Number(refundable))}.`,
    redemption_not_allowed: ({ reason, minimum_points, step, maximum_points }: Details) =>
      reason === "minimum"
        ? `Hay que canjear al menos ${pointsOf(minimum_points)} a la vez.`
        : reason === "step"
          ? `Los puntos se canjean de ${wholeText(Number(step))} en ${wholeText(Number(step))}.`
          : maximum_points === undefined
            ? "Los puntos no tienen valor aquí, así que no se pueden canjear."
            : `Se pueden canjear como máximo ${pointsOf(maximum_points)}.`,
    clock_step_too_large: ({ to }: Details) =>
      `Hay demasiado pendiente antes de esta hora para un solo paso. Adelante primero el reloj hasta ${momentText(String(to))}.`,
    member_inactive: "Este miembro está desactivado.",
    rate_limited: "Demasiadas peticiones. Espere un momento y reintente.",
    service_unavailable: "El servicio está ocupado. Reintente en un momento.",
    internal_error:
      "El servicio ha fallado. Reintente. Si vuelve a pasar, dé a su administrador el número de la petición.",
    redemption_not_found:
      "Este movimiento no se puede anular por sí solo. Si es de una venta, reembolse la venta.",
    movement_not_found:
      "Este movimiento no se puede anular por sí solo. Si es de una venta, reembolse la venta.",
    already_reversed: "Ya se anuló.",
    role_not_allowed: ({ role, all_businesses }: Details) =>
      `Su función no lo permite. Hace falta la función «${choiceTexts[String(role)] ?? role}»${all_businesses ? " para todas las empresas" : ""}.`,
    validation_failed: "Algunos campos no son válidos.",

    already_merged: "Este miembro ya se fusionó.",
    benefit_inactive: "Esta bonificación de recarga ya no se ofrece.",
    benefit_not_found: "Esta bonificación de recarga no existe.",
    bulk_grant_not_ready: "El estado de esta entrega masiva no lo permite.",
    business_not_found: "Esta empresa no existe.",
    card_already_claimed: "Esta tarjeta ya es de un miembro.",
    card_already_exists: "Ya hay una tarjeta con este código.",
    card_blocked: "Esta tarjeta está bloqueada.",
    card_not_found: "Esta tarjeta no existe.",
    event_not_found: "Este evento no existe.",
    events_expired: "Los eventos posteriores a este número ya no se conservan.",
    gift_card_limit_exceeded: "Una tarjeta regalo no puede tener tanto dinero.",
    gift_card_money_only: "Una tarjeta regalo solo puede tener dinero.",
    idempotency_key_reused_with_different_payload:
      "Esta petición ya se envió con otro contenido. Vuelva a cargar la página.",
    import_not_found: "Esta importación ya no existe.",
    import_not_ready: "El estado de esta importación no lo permite. Vuelva a cargar la página.",
    integration_not_found: "Esta integración no existe.",
    key_not_found: "Esta clave no existe.",
    last_owner: "Es el último propietario. Dé antes esta función a otra persona.",
    location_not_found: "Esta tienda no existe o está cerrada.",
    malformed_request: "La petición no se puede leer.",
    member_already_exists:
      "Otro miembro ya tiene este teléfono, este correo electrónico o este número de cliente.",
    member_anonymous: "Es una tarjeta sin miembro. Désela antes a un miembro.",
    member_not_found: "Este miembro no existe.",
    members_are_the_same: "Un miembro no se puede fusionar consigo mismo.",
    not_a_sandbox: "Solo es posible en un entorno de pruebas.",
    occasion_ended: "Esta ocasión ha terminado y se queda como está. Cree otra.",
    occasion_not_found: "Esta ocasión no existe.",
    operator_already_exists: "Ya hay una cuenta con este nombre.",
    operator_not_found: "Esta cuenta no existe.",
    payload_too_large: "Es demasiado grande.",
    program_not_found: "Este programa no existe.",
    promotion_ended: "Esta promoción ha terminado y se queda como está. Cree otra.",
    promotion_not_found: "Esta promoción no existe.",
    referral_code_not_found: "Ningún miembro activo tiene este código de recomendación.",
    referral_refused: "Este miembro no puede ser recomendado.",
    rewards_disabled: "Los puntos están desactivados.",
    sale_not_found: "Esta venta no existe.",
    sandbox_too_large: "El entorno de pruebas tiene demasiados miembros para adelantar su reloj.",
    segment_not_found: "Este segmento no existe.",
    session_not_found: "Esta sesión ya no existe.",
    stamp_card_ended: "Esta tarjeta de sellos ha terminado y se queda como está. Cree otra.",
    stamp_card_not_found: "Esta tarjeta de sellos no existe.",
    tier_not_found: "Este nivel no existe.",
    too_many_webhook_endpoints: "No se pueden añadir más puntos de conexión.",
    voucher_archived: "Este vale está archivado y ya no se puede emitir.",
    voucher_code_not_found: "Este código de vale no existe.",
    voucher_not_found: "Este vale no existe.",
    voucher_not_held: "El miembro no tiene este vale.",
    voucher_not_usable: "Este vale se ha usado o ha caducado.",
    webhook_endpoint_disabled: "Este punto de conexión está desactivado.",
    webhook_endpoint_enabled_recently: "Solo es posible una vez cada cinco minutos. Reintente más tarde.",
    webhook_endpoint_not_found: "Este punto de conexión no existe.",
  },

  problems: {
    required: "es obligatorio",
    unknown_field: "no es un campo de aquí",
    invalid_type: "no es del tipo correcto",
    invalid_format: "no tiene la forma correcta",
    country_code_missing: "falta el prefijo del país, por ejemplo +34",
    out_of_range: "demasiado pequeño o demasiado grande",
    too_short: "demasiado corto",
    too_long: "demasiado largo",
    not_allowed_value: "no es posible aquí",
    no_fields_to_update: "no hay ningún cambio",
  },
};
