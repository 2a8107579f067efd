import { momentText } from "../dates.ts";
import { countedText, wholeText } from "../decimals.ts";
import type { errorTexts as english } from "../en/errors.ts";
import type { More, Texts } from "../languages.ts";
import { choiceTexts } from "./choices.ts";

type Details = Readonly<Record<string, unknown>>;
type Money = (amount: number) => string;

const pointsOf = (count: unknown) => countedText(Number(count), "Punkt", "Punkte");

/** Operations with one balance don't say which it is. */
const balanceText = (account: unknown, balance: unknown, money: Money, path: string) =>
  (account ?? (path.includes("points") ? "points" : "wallet")) === "points"
    ? pointsOf(balance)
    : money(Number(balance));

/** The texts of errors. */
export const errorTexts: Texts<typeof english> & Pick<More, "errors" | "problems"> = {
  errors: {
    unauthorized: "Ihre Sitzung ist beendet. Melden Sie sich erneut an.",
    sign_in_failed: "Der Name oder das Passwort ist falsch.",
    invitation_not_valid:
      "Dieser Link wurde schon verwendet oder ist älter als 24 Stunden. Bitten Sie um einen neuen.",
    reauthentication_required: "Dafür ist Ihr Passwort noch einmal nötig.",
    limit_exceeded: ({ unit, limit, left, resets_at }: Details, money: Money) => {
      const text = (value: unknown) => (unit === "points" ? pointsOf(value) : money(Number(value)));
      return `Das ist mehr, als Sie heute korrigieren dürfen. Übrig bis ${momentText(String(resets_at))}: ${text(left)}. Grenze: ${text(limit)}. Bitten Sie jemanden mit einer höheren Grenze.`;
    },
    insufficient_balance: ({ account, balance }: Details, money: Money, path: string) =>
      `Der Kontostand reicht dafür nicht: Er beträgt ${balanceText(account, balance, money, path)}.`,
    balance_limit_exceeded: ({ account, balance }: Details, money: Money, path: string) =>
      `Der Kontostand würde zu groß: Jetzt beträgt er ${balanceText(account, balance, money, path)}.`,
    balances_not_zero: ({ wallet, points, vouchers }: Details, money: Money) =>
      `Das Mitglied hat noch etwas: Guthaben ${money(Number(wallet))}, ${pointsOf(points)}, Gutscheine über ${money(Number(vouchers))}. Wenn es verloren gehen darf, geben Sie die Begründung an.`,
    refund_exceeds_sale: ({ refundable }: Details, money: Money) =>
      `Es können höchstens ${money(Number(refundable))} erstattet werden.`,
    redemption_not_allowed: ({ reason, minimum_points, step, maximum_points }: Details) =>
      reason === "minimum"
        ? `Es müssen mindestens ${pointsOf(minimum_points)} auf einmal sein.`
        : reason === "step"
          ? `Punkte können nur in Schritten von ${wholeText(Number(step))} eingelöst werden.`
          : maximum_points === undefined
            ? "Punkte haben hier keinen Wert und können deshalb nicht eingelöst werden."
            : `Es können höchstens ${pointsOf(maximum_points)} eingelöst werden.`,
    clock_step_too_large: ({ to }: Details) =>
      `Bis zu dieser Zeit ist für einen Schritt zu viel fällig. Stellen Sie die Uhr zuerst auf ${momentText(String(to))} vor.`,
    member_inactive: "Dieses Mitglied ist deaktiviert.",
    rate_limited: "Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.",
    service_unavailable: "Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.",
    internal_error:
      "Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es erneut. Geschieht es wieder, nennen Sie Ihrem Administrator die Nummer der Anfrage.",
    redemption_not_found:
      "Diese Buchung kann nicht einzeln rückgängig gemacht werden. Gehört sie zu einem Verkauf, erstatten Sie den Verkauf.",
    movement_not_found:
      "Diese Buchung kann nicht einzeln rückgängig gemacht werden. Gehört sie zu einem Verkauf, erstatten Sie den Verkauf.",
    already_reversed: "Das wurde schon rückgängig gemacht.",
    role_not_allowed: ({ role, all_businesses }: Details) =>
      `Ihre Rolle darf das nicht. Nötig ist die Rolle „${choiceTexts[String(role)] ?? role}“${all_businesses ? " für alle Unternehmen" : ""}.`,
    validation_failed: "Einige Felder sind nicht gültig.",

    already_merged: "Dieses Mitglied wurde schon zusammengeführt.",
    benefit_inactive: "Dieser Aufladebonus wird nicht mehr angeboten.",
    benefit_not_found: "Diesen Aufladebonus gibt es nicht.",
    bulk_grant_not_ready: "Diese Sammelgutschrift ist dafür nicht im richtigen Zustand.",
    business_not_found: "Dieses Unternehmen gibt es nicht.",
    card_already_claimed: "Diese Karte gehört schon einem Mitglied.",
    card_already_exists: "Eine Karte mit diesem Code gibt es schon.",
    card_blocked: "Diese Karte ist gesperrt.",
    card_not_found: "Diese Karte gibt es nicht.",
    event_not_found: "Dieses Ereignis gibt es nicht.",
    events_expired: "Ereignisse nach dieser Nummer werden nicht mehr aufbewahrt.",
    gift_card_limit_exceeded: "Auf einer Geschenkkarte darf nicht so viel Geld sein.",
    gift_card_money_only: "Eine Geschenkkarte kann nur Geld haben.",
    idempotency_key_reused_with_different_payload:
      "Diese Anfrage wurde schon mit anderem Inhalt gesendet. Laden Sie die Seite neu.",
    import_not_found: "Diesen Import gibt es nicht mehr.",
    import_not_ready: "Dieser Import ist dafür nicht im richtigen Zustand. Laden Sie die Seite neu.",
    integration_not_found: "Diese Integration gibt es nicht.",
    key_not_found: "Diesen Schlüssel gibt es nicht.",
    last_owner: "Das ist der letzte Inhaber. Machen Sie zuerst jemand anderen zum Inhaber.",
    location_not_found: "Diesen Standort gibt es nicht, oder er ist geschlossen.",
    malformed_request: "Die Anfrage ist nicht lesbar.",
    member_already_exists:
      "Ein anderes Mitglied hat schon diese Telefonnummer, E-Mail-Adresse oder Kundennummer.",
    member_anonymous: "Das ist eine Karte ohne Mitglied. Geben Sie sie zuerst einem Mitglied.",
    member_not_found: "Dieses Mitglied gibt es nicht.",
    members_are_the_same: "Ein Mitglied kann nicht mit sich selbst zusammengeführt werden.",
    not_a_sandbox: "Das geht nur in einer Sandbox.",
    occasion_ended: "Dieser Anlass ist beendet und bleibt, wie er ist. Legen Sie einen neuen an.",
    occasion_not_found: "Diesen Anlass gibt es nicht.",
    operator_already_exists: "Ein Konto mit diesem Namen gibt es schon.",
    operator_not_found: "Dieses Konto gibt es nicht.",
    payload_too_large: "Das ist zu groß.",
    program_not_found: "Dieses Programm gibt es nicht.",
    promotion_ended: "Diese Aktion ist beendet und bleibt, wie sie ist. Legen Sie eine neue an.",
    promotion_not_found: "Diese Aktion gibt es nicht.",
    referral_code_not_found: "Diesen Empfehlungscode hat kein aktives Mitglied.",
    referral_refused: "Dieses Mitglied kann nicht geworben werden.",
    rewards_disabled: "Punkte sind ausgeschaltet.",
    sale_not_found: "Diesen Verkauf gibt es nicht.",
    sandbox_too_large: "Die Sandbox hat zu viele Mitglieder, um ihre Uhr vorzustellen.",
    segment_not_found: "Dieses Segment gibt es nicht.",
    session_not_found: "Diese Sitzung gibt es nicht mehr.",
    stamp_card_ended: "Diese Stempelkarte ist beendet und bleibt, wie sie ist. Legen Sie eine neue an.",
    stamp_card_not_found: "Diese Stempelkarte gibt es nicht.",
    tier_not_found: "Diese Stufe gibt es nicht.",
    too_many_webhook_endpoints: "Mehr Endpunkte sind nicht möglich.",
    voucher_archived: "Dieser Gutschein ist archiviert und kann nicht mehr ausgegeben werden.",
    voucher_code_not_found: "Diesen Gutscheincode gibt es nicht.",
    voucher_not_found: "Diesen Gutschein gibt es nicht.",
    voucher_not_held: "Das Mitglied hat diesen Gutschein nicht.",
    voucher_not_usable: "Dieser Gutschein wurde eingelöst oder ist verfallen.",
    webhook_endpoint_disabled: "Dieser Endpunkt ist deaktiviert.",
    webhook_endpoint_enabled_recently: "Das geht nur einmal in fünf Minuten. Versuchen Sie es später.",
    webhook_endpoint_not_found: "Diesen Endpunkt gibt es nicht.",
  },

  problems: {
    required: "ist erforderlich",
    unknown_field: "ist hier kein Feld",
    country_code_missing: "braucht die Landesvorwahl, z. B. +49",
    no_fields_to_update: "enthält keine Änderung",
    invalid_type: "hat die falsche Art",
    invalid_format: "hat nicht die richtige Form",
    out_of_range: "ist zu klein oder zu groß",
    too_short: "ist zu kurz",
    too_long: "ist zu lang",
    not_allowed_value: "ist hier nicht möglich",
  },
};
