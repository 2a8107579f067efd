import { momentText } from "../dates.ts";
import { countedText, wholeText } from "../decimals.ts";
import type { errorTexts as english } from "../en/errors.ts";
import type { More, Texts } from "../languages.ts";
import { choiceTexts } from "./choices.ts";

type Details = Readonly<Record<string, unknown>>;
type Money = (amount: number) => string;

const pointsOf = (count: unknown) => countedText(Number(count), "point", "points");

/** Operations with one balance don't say which it is. */
const balanceText = (account: unknown, balance: unknown, money: Money, path: string) =>
  (account ?? (path.includes("points") ? "points" : "wallet")) === "points"
    ? pointsOf(balance)
    : money(Number(balance));

/** The texts of errors. */
export const errorTexts: Texts<typeof english> & Pick<More, "errors" | "problems"> = {
  errors: {
    unauthorized: "Votre session a pris fin. Reconnectez-vous.",
    sign_in_failed: "Le nom ou le mot de passe est incorrect.",
    invitation_not_valid: "Ce lien a déjà servi ou date de plus de 24 heures. Demandez-en un autre.",
    reauthentication_required: "Votre mot de passe est redemandé pour cela.",
    limit_exceeded: ({ unit, limit, left, resets_at }: Details, money: Money) => {
      const text = (value: unknown) => (unit === "points" ? pointsOf(value) : money(Number(value)));
      return `C'est plus que ce que vous pouvez corriger aujourd'hui : il reste ${text(left)} sur ${text(limit)} jusqu'au ${momentText(String(resets_at))}. Demandez à quelqu'un qui a une limite plus élevée.`;
    },
    insufficient_balance: ({ account, balance }: Details, money: Money, path: string) =>
      `Le solde est insuffisant : il est de ${balanceText(account, balance, money, path)}.`,
    balance_limit_exceeded: ({ account, balance }: Details, money: Money, path: string) =>
      `Le solde deviendrait trop élevé : il est de ${balanceText(account, balance, money, path)}.`,
    balances_not_zero: ({ wallet, points, vouchers }: Details, money: Money) =>
      `Le membre a encore quelque chose : ${money(Number(wallet))} dans la cagnotte, ${pointsOf(points)}, des bons d'achat de ${money(Number(vouchers))}. Si cela peut être perdu, écrivez le motif.`,
    refund_exceeds_sale: ({ refundable }: Details, money: Money) =>
      `On ne peut pas rembourser plus de ${money(Number(refundable))}.`,
    redemption_not_allowed: ({ reason, minimum_points, step, maximum_points }: Details) =>
      reason === "minimum"
        ? `Il faut utiliser au moins ${pointsOf(minimum_points)} à la fois.`
        : reason === "step"
          ? `Les points s'utilisent par multiples de ${wholeText(Number(step))}.`
          : maximum_points === undefined
            ? "Les points n'ont pas de valeur ici : on ne peut pas les utiliser."
            : `On peut utiliser au plus ${pointsOf(maximum_points)}.`,
    clock_step_too_large: ({ to }: Details) =>
      `Trop d'opérations sont dues avant cette heure pour une seule étape. Avancez d'abord l'horloge jusqu'au ${momentText(String(to))}.`,
    member_inactive: "Ce membre est désactivé.",
    rate_limited: "Trop de requêtes. Attendez un instant, puis réessayez.",
    service_unavailable: "Le service est occupé. Réessayez dans un instant.",
    internal_error:
      "Le service a rencontré une erreur. Réessayez. Si cela se reproduit, donnez à votre administrateur le numéro de la requête.",
    redemption_not_found:
      "Cette écriture ne peut pas être annulée seule. Si elle fait partie d'une vente, remboursez la vente.",
    movement_not_found:
      "Cette écriture ne peut pas être annulée seule. Si elle fait partie d'une vente, remboursez la vente.",
    already_reversed: "C'est déjà annulé.",
    role_not_allowed: ({ role, all_businesses }: Details) =>
      `Votre rôle ne le permet pas. Il faut le rôle « ${choiceTexts[String(role)] ?? role} »${all_businesses ? " pour toutes les entreprises" : ""}.`,
    validation_failed: "Certains champs ne sont pas valides.",

    already_merged: "Ce membre a déjà été fusionné.",
    benefit_inactive: "Ce bonus de rechargement n'est plus proposé.",
    benefit_not_found: "Ce bonus de rechargement n'existe pas.",
    bulk_grant_not_ready: "L'état de cette attribution groupée ne le permet pas.",
    business_not_found: "Cette entreprise n'existe pas.",
    card_already_claimed: "Cette carte appartient déjà à un membre.",
    card_already_exists: "Une carte a déjà ce code.",
    card_blocked: "Cette carte est bloquée.",
    card_not_found: "Cette carte n'existe pas.",
    event_not_found: "Cet événement n'existe pas.",
    events_expired: "Les événements après ce numéro ne sont plus conservés.",
    gift_card_limit_exceeded: "Une carte cadeau ne peut pas contenir autant d'argent.",
    gift_card_money_only: "Une carte cadeau ne peut contenir que de l'argent.",
    idempotency_key_reused_with_different_payload:
      "Cette requête a déjà été envoyée avec un autre contenu. Rechargez la page.",
    import_not_found: "Cette importation n'existe plus.",
    import_not_ready: "L'état de cette importation ne le permet pas. Rechargez la page.",
    integration_not_found: "Cette intégration n'existe pas.",
    key_not_found: "Cette clé n'existe pas.",
    last_owner: "C'est le dernier propriétaire. Donnez d'abord ce rôle à quelqu'un d'autre.",
    location_not_found: "Ce point de vente n'existe pas ou est fermé.",
    malformed_request: "La requête est illisible.",
    member_already_exists:
      "Un autre membre a déjà ce téléphone, cette adresse e-mail ou ce numéro de client.",
    member_anonymous: "C'est une carte sans membre. Donnez-la d'abord à un membre.",
    member_not_found: "Ce membre n'existe pas.",
    members_are_the_same: "Un membre ne peut pas être fusionné avec lui-même.",
    not_a_sandbox: "Ce n'est possible que dans un bac à sable.",
    occasion_ended: "Cette occasion est terminée et reste telle quelle. Créez-en une autre.",
    occasion_not_found: "Cette occasion n'existe pas.",
    operator_already_exists: "Un compte porte déjà ce nom.",
    operator_not_found: "Ce compte n'existe pas.",
    payload_too_large: "C'est trop volumineux.",
    program_not_found: "Ce programme n'existe pas.",
    promotion_ended: "Cette promotion est terminée et reste telle quelle. Créez-en une autre.",
    promotion_not_found: "Cette promotion n'existe pas.",
    referral_code_not_found: "Aucun membre actif n'a ce code de parrainage.",
    referral_refused: "Ce membre ne peut pas être parrainé.",
    rewards_disabled: "Les points sont désactivés.",
    sale_not_found: "Cette vente n'existe pas.",
    sandbox_too_large: "Le bac à sable a trop de membres pour avancer son horloge.",
    segment_not_found: "Ce segment n'existe pas.",
    session_not_found: "Cette session n'existe plus.",
    stamp_card_ended: "Cette carte à tampons est terminée et reste telle quelle. Créez-en une autre.",
    stamp_card_not_found: "Cette carte à tampons n'existe pas.",
    tier_not_found: "Ce palier n'existe pas.",
    too_many_webhook_endpoints: "On ne peut pas ajouter d'autres points de terminaison.",
    voucher_archived: "Ce bon d'achat est archivé et ne peut plus être émis.",
    voucher_code_not_found: "Ce code de bon d'achat n'existe pas.",
    voucher_not_found: "Ce bon d'achat n'existe pas.",
    voucher_not_held: "Le membre n'a pas ce bon d'achat.",
    voucher_not_usable: "Ce bon d'achat a été utilisé ou a expiré.",
    webhook_endpoint_disabled: "Ce point de terminaison est désactivé.",
    webhook_endpoint_enabled_recently:
      "C'est possible une fois toutes les cinq minutes. Réessayez plus tard.",
    webhook_endpoint_not_found: "Ce point de terminaison n'existe pas.",
  },

  problems: {
    required: "obligatoire",
    unknown_field: "n'est pas un champ d'ici",
    invalid_type: "n'est pas du bon type",
    invalid_format: "n'a pas la bonne forme",
    country_code_missing: "il manque l'indicatif du pays, par exemple +33",
    out_of_range: "trop petit ou trop grand",
    too_short: "trop court",
    too_long: "trop long",
    not_allowed_value: "impossible ici",
    no_fields_to_update: "rien n'a changé",
  },
};
