import { wholeText } from "../decimals.ts";
import type { actionHelps as english } from "../en/action-help.ts";
import type { Texts } from "../languages.ts";

const undone = "Eine neue Buchung hebt diese auf. Beide bleiben im Verlauf.";

/** What dialogs explain, by the path of the operation. */
export const actionHelps: Texts<typeof english> = {
  "/op/members/settle":
    "Wartende Punkte, die inzwischen verfügbar sind, können verwendet werden, und abgelaufene Punkte verfallen. Das geschieht jeden Tag von selbst.",
  "/op/members/erase":
    "Name, Telefonnummer und andere Personendaten werden endgültig gelöscht. Hat das Mitglied noch Geld, Punkte oder Gutscheine, gehen sie verloren, und eine Begründung ist erforderlich.",
  "/op/members/merge": ({ first_name, last_name }) =>
    `Wählen Sie den zweiten Eintrag derselben Person. Seine Kontostände und sein Verlauf gehen auf ${first_name} ${last_name} über, und er wird geschlossen.`,
  "/op/members/activate": "Das Mitglied kann wieder Punkte sammeln und einlösen.",
  "/op/promotions/resume": "Ab jetzt gilt sie für passende Verkäufe.",
  "/op/occasions/resume": "Ab jetzt bekommen Mitglieder etwas dazu. Für frühere Tage gibt es nichts.",
  "/op/stamp-cards/resume": "Ab jetzt geben Verkäufe Stempel dafür.",
  "/op/bulk-grants/cancel": "Wer noch nichts bekommen hat, bekommt nichts mehr. Die anderen behalten es.",
  "/op/bulk-grants/resume": "Es geht mit den Mitgliedern weiter, die noch nichts bekommen haben.",
  "/op/imports/start":
    "Die Zeilen, die importiert werden können, werden erfasst. Die anderen bleiben weg: Sie können sie korrigieren und die Datei noch einmal importieren.",
  "/op/operators/enable": "Die Person kann sich wieder anmelden, mit demselben Passwort.",
  "/op/webhook-deliveries/retry":
    "Das Ereignis wird noch einmal an den Endpunkt gesendet, mit demselben Inhalt.",
  "/op/reward-points/reverse": undone,
  "/op/wallet/reverse": undone,
  "/op/promotions/pause": "Sie gibt nichts, bis Sie sie wieder starten. Mitglieder behalten, was sie haben.",
  "/op/occasions/pause": "Er gibt nichts, bis Sie ihn wieder starten. Mitglieder behalten, was sie haben.",
  "/op/stamp-cards/pause":
    "Verkäufe geben keine Stempel dafür, bis Sie sie wieder starten. Mitglieder behalten ihre.",
  "/op/sessions/revoke": "Die Person muss sich dort neu anmelden.",
  "/op/bulk-grants/start": "Inaktive Mitglieder bekommen nichts.",
  "/op/tiers/delete": ({ name, members }) =>
    members === 0
      ? `Kein Mitglied hat jetzt die Stufe ${name}.`
      : `Mitglieder, die jetzt die Stufe ${name} haben: ${wholeText(members ?? 0)}. Ohne sie hat jedes die höchste andere Stufe, die seine Verkäufe erreichen, oder keine.`,
  "/op/vouchers/archive": ({ campaign_name, archived }) =>
    archived
      ? `${campaign_name} kann wieder ausgegeben werden.`
      : `${campaign_name} archivieren? Der Gutschein kann nicht mehr ausgegeben werden. Mitglieder behalten, was sie haben.`,
  "/op/webhook-endpoints/enable":
    "Wählen Sie, wo es weitergeht. Ereignisse von dort an werden gesendet, auch schon gesendete. Das geht einmal in fünf Minuten.",
  "/op/webhook-endpoints/rotate-secret":
    "Ereignisse werden eine Zeit lang mit beiden Geheimnissen signiert, damit der Empfänger ohne Lücke wechseln kann.",
  "/op/webhook-endpoints/delete":
    "Noch nicht zugestellte Ereignisse gehen für diesen Endpunkt verloren. Sie können ihn stattdessen deaktivieren.",
  "/op/webhook-deliveries/replay": "Sendet die Ereignisse eines Zeitraums noch einmal, neben den neuen.",
  "/op/integrations/enable":
    "Sie bekommt wieder Tokens, mit ihrem bisherigen Geheimnis. Frühere Tokens bleiben ungültig.",
  "/op/integrations/revoke-tokens":
    "Innerhalb von fünf Sekunden werden alle bisherigen Tokens abgelehnt. Mit ihrem Geheimnis kann die Integration ein neues bekommen. Ist auch das Geheimnis bekannt geworden, erstellen Sie zuerst ein neues.",
  "/op/integrations/delete":
    "Die Integration und ihre Geheimnisse werden gelöscht. Innerhalb von fünf Sekunden werden ihre Tokens abgelehnt. Was sie erfasst hat, bleibt.",
};
