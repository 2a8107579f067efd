import { countedText } from "../decimals.ts";
import type * as english from "../en/partners.ts";
import type { Texts } from "../languages.ts";

/** The texts of the pages about partners, and about the service. */
export const partnerTexts: Texts<typeof english.partnerTexts> = {
  integrations: {
    title: "Integraciones",
    empty:
      "Todavía ningún programa externo tiene acceso. Cree una integración para cada caja, aplicación o tienda.",
    presets: {
      till: "Caja: registra ventas, reembolsos y vales",
      booking: "Reservas o tienda: registra ventas y miembros",
      app: "Aplicación de miembros: muestra lo que tienen",
      reader: "Informes: solo lee",
      other: "Otro programa",
    },
  },

  secret: {
    onlyOnce: "Guarde el secreto ahora. Solo se muestra una vez; después, solo puede crear otro.",
    invitation_token:
      "Envíe este enlace a la persona. Sirve una vez, durante 24 horas. Solo se muestra ahora.",
    page_path:
      "Dé esta dirección al miembro, por ejemplo en un mensaje. Quien la tenga ve la tarjeta del miembro. No cambia hasta que usted la reemplace.",
    request: (url, id, secret) =>
      `curl ${url}/sp/auth/token --json '{"client_id":"${id}","client_secret":"${secret}"}'`,
    copy: "Copiar",
    copied: "Copiado",
    stored: "Lo he guardado",
  },

  integration: {
    number: (id) => `Integración ${id}`,
    disabled: (id) => `La integración ${id} está desactivada: sus peticiones se rechazan.`,
    more: "Más",
    secrets: "Secretos válidos",
    scopes: "Qué puede hacer",
    allLocations: "Todas, también las futuras",
  },

  events: {
    title: "Eventos",
    explanation:
      "Lo que pasó en las últimas semanas, lo más reciente primero. Los programas conectados reciben lo mismo.",
    off: "Los eventos están desactivados.",
    switchOn: "Activar los eventos",
    switchOnHelp:
      "Desde ahora, el servicio registra un evento por cada cambio. Los cambios anteriores no están en ninguno.",
    empty: "No hay eventos.",
    data: "Todos los datos",
    sale: (saleId) => `Venta ${saleId}`,
  },

  requests: {
    title: "Peticiones",
    explanation:
      "Lo que falló en las peticiones de los programas conectados en los últimos 7 días. Un código lleva a su significado y a su solución.",
    counts: "Números por hora",
    empty: "No se ha rechazado ninguna petición.",
    noCounts: "No ha habido peticiones.",
    lateReplay:
      "Recibió la respuesta de un día anterior, y no se registró nada: su clave de idempotencia y su contenido son los de una petición de más de 12 horas antes. Si era otra venta, esa venta falta. Pida al proveedor del programa que añada el día y la caja a sus claves.",
    whole: "Toda la petición",
    reason: (token) => `El token: ${token}.`,
    unknownField:
      "Un campo que esta operación no tiene. Su nombre no se conserva, porque puede ser un dato personal.",
    fieldOfOthers: (field) => `${field}: esta operación no tiene ese campo`,
    advice: {
      sp_scope_not_granted: (scope, meaning) =>
        `Necesita el permiso ${scope}: ${meaning} Para darlo, edite la integración y elija el permiso. Después el programa pide un token nuevo.`,
      sp_token_scope_missing: (scope) =>
        `La integración tiene el permiso ${scope}, pero su token es anterior. El programa pide uno nuevo.`,
      sp_location_not_allowed: () =>
        "Para permitir la tienda, edite la integración. O el programa usa una tienda permitida.",
      operation_not_found: () => "El proveedor del programa comprueba la ruta de la petición.",
      validation_failed: () =>
        "El proveedor del programa lo corrige. La respuesta dice más sobre cada campo.",
      legacy_field_not_allowed: () =>
        "El proveedor del programa quita el campo, que es de una interfaz anterior. La respuesta dice qué lo sustituye.",
    },
    unknownPath: "ruta desconocida",
  },
};

export const serviceTexts: Texts<typeof english.serviceTexts> = {
  accounts: {
    title: "Cuentas",
    empty: "Todavía no hay cuentas: solo la clave de operador puede iniciar sesión.",
    keys: "Claves de scripts",
    noKeys: "Ningún script tiene clave.",
    sessions: "Quién tiene sesión iniciada",
    noSessions: "Nadie tiene sesión iniciada.",
  },

  audit: {
    title: "Registro",
    explanation: "Quién cambió qué, y cuándo.",
    empty: "Todavía no hay entradas.",
    noneFound: "Ninguna entrada coincide.",
    actor: (name, kind) => (name.startsWith(kind) ? name : `${name} (${kind})`),
    becomes: " → ",
  },

  sandbox: {
    title: "Reloj de pruebas",
    explanation:
      "La hora de un entorno de pruebas está parada hasta que usted la adelanta. No se puede atrasar.",
    now: "La hora en este entorno de pruebas",
    steps: { day: "Adelantar 1 día", month: "Adelantar 30 días", year: "Adelantar 365 días" },
    advance: "Adelantar",
    to: "A otro día…",
    advancing: (entries) =>
      `El reloj avanza. Hasta ahora: ${countedText(entries, "movimiento", "movimientos")}.`,
    happened: (entries, from, through) =>
      `Del ${from} al ${through}: ${countedText(entries, "movimiento", "movimientos")}`,
    nothing: "No se registró nada.",
  },

  system: {
    title: "Sistema",
    notes: {
      ledger_lead_seconds:
        "Debería ser 0. Más significa que el reloj de la base de datos se atrasó. Los movimientos nuevos conservan la última hora hasta que la alcance.",
      last_mismatch_at:
        "Debería ser «nunca». Si no, compruebe los movimientos abajo, y avise a su administrador.",
      shared_buffers_bytes: "La base de datos es más rápida mientras lo que necesita quepa aquí.",
      rejected: "Peticiones incorrectas. La página «Peticiones» de cada empresa dice por qué.",
      failed: "Debería ser 0. El registro del servicio dice por qué.",
      mean_milliseconds: "Menos es mejor.",
      waiting: "Debería estar cerca de 0. Si sigue alto, la base de datos es demasiado lenta.",
      mean_batch_size: "Ni bueno ni malo: más cuando el servicio está ocupado.",
      mean_batch_milliseconds: "Menos es mejor. Depende del disco de la base de datos.",
      failing: "Debería ser 0. El servicio lo reintenta solo.",
      disabled: "Debería ser 0. La página «Webhooks» de cada empresa dice por qué.",
      backlog_seconds: "Deberían ser unos segundos.",
    },
    verify: "Comprobación de los movimientos",
    verifyHelp:
      "Suma de nuevo todos los movimientos, y compara cada saldo de todas las empresas con la suma. Todos pueden seguir trabajando.",
    verifyStart: "Comprobar ahora",
    right: "Los movimientos son correctos.",
    wrong: (mismatches) =>
      `Los movimientos no son correctos: ${countedText(mismatches, "diferencia", "diferencias")}. Ejecute loyalty verify para verlas.`,
  },
};
