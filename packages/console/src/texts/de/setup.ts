import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/setup.ts";
import type { More, Texts } from "../languages.ts";

const pointsOf = (count: number) => countedText(count, "Punkt", "Punkte");

/** The texts of the pages on which a business sets up its programme. */
export const setupPages: Texts<typeof english.setupPages> = {
  setup: "Erste Schritte",
  locations: "Standorte",
  tiers: "Stufen",
  programs: "Programme",
  promotions: "Aktionen",
  "stamp-cards": "Stempelkarten",
  occasions: "Anlässe",
  referrals: "Empfehlungen",
  vouchers: "Gutscheine",
  topups: "Aufladungen",
  rules: "Regeln",
  imports: "Importe",
  passes: "Mitgliederseite",
  segments: "Segmente",
  "bulk-grants": "Sammelgutschriften",
};

/** Also of the members of promotions. */
export const occasionKinds: Texts<typeof english.occasionKinds> = {
  birthday: "Rund um den Geburtstag",
  anniversary: "Am Jahrestag des Beitritts",
  tier_reached: "Beim Erreichen einer Stufe",
  referred: "Wurde von einem Mitglied geworben",
  referrer: "Hat ein Mitglied geworben",
  bulk: "An viele auf einmal vergeben",
};

export const setupLabels: Texts<typeof english.setupLabels> = {
  segment_id: "Segment",
  filters: "Welche Mitglieder",
  members_found: "Mitglieder",
  members_given: "Haben es bekommen",
  members_skipped: "Haben es nicht bekommen",
  earn_on: "Punkte gibt es auf",
  points_validity: "Punkte gelten",
  points_validity_period: "Tage, Wochen, Monate oder Jahre",
  points_expiry_rounding: "Punkte enden mit dem",
  tier_downgrade: "Stufe nach einer, die endet",
  tier_grace_days: "Tage, die eine beendete Stufe bleibt",
  tier_after_refund: "Nach Erstattung ihres Verkaufs wird eine Stufe",
  expiry: "Gültig für",
  expiry_period: "Tage, Wochen, Monate oder Jahre",
  delimiter: "Zwischen den Spalten",
  amount_unit: "Beträge",
  decimal: "Vor den Nachkommastellen",
  defaults: "Texte für leere Zellen",
  sample: "So wird es gelesen",
  file_name: "Datei",
  lines_done: "Zeilen",
  date_format: "Wie Tage geschrieben sind",
  exported_by: "System, das sie exportiert hat",
  message: "Grund",
  sold_at: "Zeit des Verkaufs",
  earn: "Verkäufe geben Punkte",
  earn_imported: "Auch Verkäufe, die ohne Punkte importiert wurden",
  what: "Ergebnis",
  current: "Nach den heutigen Regeln",
  proposed: "Nach den neuen Regeln",
  current_points: "Nach den heutigen Regeln",
  proposed_points: "Nach den neuen Regeln",
  value_points: "Punkte, die einen Betrag wert sind",
  value_amount: "Betrag, den sie wert sind",
  redeem_minimum_points: "Mindestpunkte zum Bezahlen",
  pending_days: "Tage, bis Punkte verfügbar sind",
  clawback_shortfall: "Erstattung bei schon eingelösten Punkten",
  restored_points_valid_days: "Tage, die zurückgegebene Punkte gelten",
  expiring_notice_days: "Tage der Ankündigung vor einem Ende",
  anonymous_cards_earn: "Anonyme Karten sammeln Punkte",
  referral_minimum_amount: "Erster Verkauf einer Empfehlung, mindestens",
  referral_hold_days: "Tage, bis Empfehlungen zählen",
  referral_most_per_year: "Empfehlungen im Jahr, höchstens",
  gift_validity: "Geschenkkarten gelten",
  gift_validity_period: "Tage, Wochen, Monate oder Jahre der Geschenkkarten",
  gift_maximum_amount: "Höchstbetrag einer Geschenkkarte",
  enable_rp: "Verkäufe geben Punkte",
  rp_sales_calculation_period: "Verkäufe zählen für Stufen",
  rp_sales_calculation_period_type: "Tage, Wochen, Monate oder Jahre",
};

export const setupTexts: Texts<typeof english.setupTexts> = {
  locations: {
    title: "Standorte",
    explanation:
      "Wo Mitglieder einkaufen. Ein Verkauf nennt seinen Standort, und Gutscheine und Aufladungen können für einen davon sein.",
    empty: "Es gibt noch keine Standorte. Ein Verkauf braucht einen.",
    closedName: (name) => `${name} (geschlossen)`,
  },

  businesses: {
    title: "Unternehmen",
    explanation:
      "Jedes hat eigene Mitglieder, Regeln und eine eigene Währung. Eine Sandbox ist ein Unternehmen zum Ausprobieren, mit eigener Uhr, und kann gelöscht werden. Um ein anderes zu schließen, schließen Sie seine Standorte: Seine Daten bleiben.",
    empty: "Es gibt noch keine Unternehmen.",
  },

  earning: {
    guide: "Schritt für Schritt einrichten",
    title: "Verkäufe geben noch keine Punkte",
    steps: {
      no_location: "Legen Sie einen Standort an.",
      rewards_off: "Schalten Sie Punkte ein.",
      no_program: "Wählen Sie das Standardprogramm.",
      program_without_rate: "Legen Sie fest, wie viele Punkte das Standardprogramm für einen Betrag gibt.",
      maximum_is_zero: "Erhöhen Sie im Standardprogramm die Höchstzahl der Punkte je Verkauf: Sie ist 0.",
      no_integration: "Legen Sie eine Integration an, die Verkäufe erfassen darf.",
      no_sale: "Erfassen Sie einen Verkauf, der Punkte gibt.",
    },
  },

  tiers: {
    title: "Stufen",
    explanation:
      "Was Mitglieder mit ihren Einkäufen erreichen. Ein Mitglied erreicht eine neue Stufe mit dem nächsten Verkauf.",
    empty: "Es gibt noch keine Stufen. Mitglieder brauchen keine, um Punkte zu sammeln.",
  },

  memberStampCards: {
    stamps: (stamps, owed) => (owed > 0 ? `${owed} geschuldet` : String(stamps)),
    empty: "Zurzeit läuft keine Stempelkarte, und dieses Mitglied hat keine.",
  },

  programs: {
    title: "Programme",
    explanation:
      "Wie viele Punkte ein Verkauf gibt. Die Regeln nennen das Standardprogramm; eine Stufe kann ein eigenes haben.",
    removeHelp: (name) => `Programm ${name} löschen? Gesammelte Punkte bleiben.`,
    unused: "Jetzt gibt es dafür keine Punkte.",
    usual:
      "Es ist das Standardprogramm: Es gilt für Verkäufe, wenn die Stufe des Mitglieds kein eigenes hat.",
    withoutUsual: "Ohne dieses Programm geben diese Verkäufe keine Punkte.",
    ofTiers: (tiers, members) =>
      `Es ist das Programm von ${tiers}. Mitglieder mit dieser Stufe: ${wholeText(members)}.`,
    withoutOfTiers: "Ohne dieses Programm sammeln sie nach dem Standardprogramm, wenn das ein anderes ist.",
    empty: "Es gibt noch keine Programme. Ohne Programm geben Verkäufe keine Punkte.",
    example: ({ rates = [], excluded_categories: categories = [], excluded_skus: skus = [] }) =>
      rates.length + categories.length + skus.length === 0
        ? "Alle Zeilen eines Bons geben nach diesem Satz Punkte."
        : "",
    earnsNothing: (lines) => `${lines}: keine Punkte`,
    paidWithMoney: (lines) => `${lines}: nicht mit Punkten oder Gutscheinen bezahlbar`,
    rate: {
      eachAmount: (points, amount) => `${pointsOf(points)} je ${amount}`,
      eachUnit: (points) => `${pointsOf(points)} je Stück`,
      ofLines: (lines, rate, example) => `${lines}: ${rate}, also ${example}`,
      ofAmount: (example, earned) => `${example} geben ${earned}`,
      ofUnits: (units, earned) => `${countedText(units, "Stück gibt", "Stück geben")} ${earned}`,
    },
  },

  rules: {
    title: "Regeln",
    explanation: "Was Verkäufe geben, was Punkte wert sind und wie lange sie gelten.",
    settings: "Einstellungen der Punkte",
    rules: "Regeln für Punkte",
    suggestions: {
      "/op/programs/create":
        "Es gilt erst, wenn die Regeln oder eine Stufe es nennen. Sehen Sie, was es als Programm aller Verkäufe ändern würde.",
      "/op/promotions/create": "Sie können ansehen, was sie in den letzten drei Monaten gegeben hätte.",
    },
    newPromotion: (name) => `Durch ${name}`,
    ofPromotion: (points, inSales) => `${pointsOf(points)} ${inSales}`,
    inSales: (sales) => `in ${countedText(sales, "Verkauf", "Verkäufen")}`,
    withoutLines: (sales) =>
      `; auf ${countedText(sales, "Verkauf", "Verkäufe")} ohne Zeilen kann sie nicht wirken`,
    previewFirst: "Sehen Sie sich an, was das ändern würde, bevor Sie speichern.",
    preview: "Zeigen, was sich ändern würde",
    notPreviewed:
      "Das ändert weder, was Verkäufe geben, noch, wer eine Stufe erreicht. Es gibt also nichts zu vergleichen. Es gilt ab heute.",
    outcome: (sales, day) => `Berechnet aus ${countedText(sales, "Verkauf", "Verkäufen")} seit ${day}`,
    points: "Gesammelte Punkte",
    worth: "Ihr Wert",
    owed: (points) => `Wert dessen, was Mitglieder jetzt haben: ${pointsOf(points)}`,
    capped: "Verkäufe mit der Höchstzahl an Punkten",
    inTier: (name) => `Mitglieder mit der Stufe ${name}`,
    withoutTier: "Mitglieder ohne Stufe",
    nobody: "Kein Mitglied hätte andere Punkte bekommen.",
    gains: "Mitglieder, die am meisten gewinnen würden",
    losses: "Mitglieder, die am meisten verlieren würden",
  },
};

/** What a promotion can give, and the states of an import. */
export const setupChoices: Texts<typeof english.setupChoices> & More["choices"] = {
  true: "Ja",
  false: "Nein",
  bulk_running: "Wird vergeben …",
  bulk_ended: "Vergeben",
  bulk_cancelled: "Abgebrochen",
  bulk_failed: "Fehlgeschlagen",
  voucher: "Einen Gutschein",
  import_uploading: "Nicht vollständig",
  import_uploaded: "Nicht geprüft",
  import_checking: "Wird geprüft …",
  import_checked: "Geprüft",
  import_importing: "Wird importiert …",
  import_cancelled: "Abgebrochen",
  import_ended: "Importiert",
  import_failed: "Fehlgeschlagen",
};
