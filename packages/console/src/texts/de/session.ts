import type { sessionTexts as english } from "../en/session.ts";
import type { Texts } from "../languages.ts";

/** The texts about signing in, and about passwords. */
export const sessionTexts: Texts<typeof english> = {
  signIn: {
    title: "Bei der Loyalty-Konsole anmelden",
    submit: "Anmelden",
    noAccount: "Noch kein Konto? Bitten Sie einen Inhaber um eine Einladung.",
  },

  credentials: {
    name: "Name",
    password: "Passwort",
    current: "Aktuelles Passwort",
    new_password: "Neues Passwort",
    rules: "8 bis 128 Zeichen. Keines der häufigsten Passwörter.",
    show: "Passwort anzeigen",
  },

  changePassword: {
    title: "Passwort ändern",
    explanation: "Hier bleiben Sie angemeldet. Ihre Sitzungen in anderen Browsern enden.",
  },

  passwordDialog: {
    submit: "Weiter",
    expired: {
      title: "Erneut anmelden",
      explanation: "Ihre Sitzung ist beendet. Nach der Anmeldung machen Sie dort weiter, wo Sie waren.",
      cancel: "Abmelden",
    },
    confirm: {
      title: "Passwort bestätigen",
      explanation:
        "Dafür ist Ihr Passwort noch einmal nötig, weil es in falschen Händen viel Schaden anrichten kann.",
      cancel: "Abbrechen",
    },
  },

  accept: {
    title: "Passwort wählen",
    titleFor: (name) => `Passwort für ${name} wählen`,
    explanation: "Mit diesem Namen und dem Passwort melden Sie sich künftig bei der Loyalty-Konsole an.",
    submit: "Speichern und anmelden",
    noToken:
      "Dieser Einladungslink ist unvollständig oder wurde schon verwendet. Bitten Sie die Person, die ihn gesendet hat, um einen neuen.",
  },
};
