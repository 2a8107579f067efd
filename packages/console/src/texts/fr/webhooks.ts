import { countedText } from "../decimals.ts";
import type { webhookTexts as english } from "../en/webhooks.ts";
import type { Texts } from "../languages.ts";

/** The texts about webhooks. */
export const webhookTexts: Texts<typeof english> = {
  webhooks: {
    title: "Webhooks",
    explanation: "Où le service envoie les événements, par exemple une boutique ou un entrepôt de données.",
    empty:
      "Aucun événement n'est envoyé. Créez un point de terminaison pour chaque programme qui doit savoir ce qui se passe.",
    noSuccess: "Pas encore de succès.",
    lastFailed: "La dernière tentative a échoué :",
    failing: (since) => `Depuis le ${since}.`,
    /** Why there was no response, by the code. */
    noResponse: {
      ECONNREFUSED: "La connexion a été refusée",
      ECONNRESET: "La connexion a été fermée avant la réponse",
      EHOSTUNREACH: "L'hôte est injoignable",
      ENETUNREACH: "L'hôte est injoignable",
      ETIMEDOUT: "La connexion n'a pas abouti à temps",
      ENOTFOUND: "Le nom de l'hôte n'a pas d'adresse",
      ENODATA: "Le nom de l'hôte n'a pas d'adresse",
    },
    disabled: {
      requested: "Désactivé à la main.",
      no_success: "Désactivé : en échec pendant cinq jours.",
      gone: "Désactivé : il a répondu qu'il n'existe plus (410).",
      secret_unreadable:
        "Désactivé : le secret du service a changé. Créez un nouveau secret, et remettez les en-têtes.",
      integration_disabled: "Désactivé avec son intégration.",
      copied: "Désactivé, parce que l'entreprise a été copiée.",
    },
    stopped: (endpoints) =>
      `${countedText(endpoints, "point de terminaison ne reçoit", "points de terminaison ne reçoivent")} pas d'événements.`,
    failures: (failures, attempts) =>
      attempts === 0
        ? "Aucune tentative"
        : `${Math.ceil((100 * failures) / attempts)} % : ${failures} sur ${countedText(attempts, "tentative", "tentatives")}`,
    secrets: "Secrets valables",
    deliveries: "Envois",
    noDeliveries: "Rien n'a encore été envoyé.",
    sendAgain: "Renvoyer à partir de…",
    replayed: (events, first, last) =>
      events === 0
        ? "Aucun événement."
        : `${countedText(events, "événement", "événements")}, numéros ${first} à ${last}.`,
  },
};
