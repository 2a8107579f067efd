import { countedText } from "../decimals.ts";
import type { webhookTexts as english } from "../en/webhooks.ts";
import type { Texts } from "../languages.ts";

/** The texts about webhooks. */
export const webhookTexts: Texts<typeof english> = {
  webhooks: {
    title: "Webhooks",
    explanation: "Adónde envía el servicio los eventos, por ejemplo a una tienda o a un almacén de datos.",
    empty: "No se envían eventos. Cree un punto de conexión para cada programa que deba saber lo que pasa.",
    noSuccess: "Todavía sin éxito.",
    lastFailed: "El último intento falló:",
    failing: (since) => `Desde el ${since}.`,
    /** Why there was no response, by the code. */
    noResponse: {
      ECONNREFUSED: "La conexión se rechazó",
      ECONNRESET: "La conexión se cerró antes de la respuesta",
      EHOSTUNREACH: "No se puede contactar con el servidor",
      ENETUNREACH: "No se puede contactar con el servidor",
      ETIMEDOUT: "No hubo conexión a tiempo",
      ENOTFOUND: "El nombre del servidor no tiene dirección",
      ENODATA: "El nombre del servidor no tiene dirección",
    },
    disabled: {
      requested: "Desactivado a mano.",
      no_success: "Desactivado: falló durante cinco días.",
      gone: "Desactivado: respondió que ya no existe (410).",
      secret_unreadable:
        "Desactivado: el secreto del servicio ha cambiado. Cree un secreto nuevo, y ponga las cabeceras otra vez.",
      integration_disabled: "Desactivado con su integración.",
      copied: "Desactivado, porque se copió la empresa.",
    },
    stopped: (endpoints) =>
      `${countedText(endpoints, "punto de conexión no recibe", "puntos de conexión no reciben")} eventos.`,
    failures: (failures, attempts) =>
      attempts === 0
        ? "Ningún intento"
        : `${Math.ceil((100 * failures) / attempts)} %: ${failures} de ${countedText(attempts, "intento", "intentos")}`,
    secrets: "Secretos válidos",
    deliveries: "Entregas",
    noDeliveries: "Todavía no se ha enviado nada.",
    sendAgain: "Enviar de nuevo desde…",
    replayed: (events, first, last) =>
      events === 0
        ? "Ningún evento."
        : `${countedText(events, "evento", "eventos")}, números ${first} a ${last}.`,
  },
};
