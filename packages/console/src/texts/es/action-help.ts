import { wholeText } from "../decimals.ts";
import type { actionHelps as english } from "../en/action-help.ts";
import type { Texts } from "../languages.ts";

const undone = "Un movimiento nuevo anula este. Los dos quedan en el historial.";

/** What dialogs explain, by the path of the operation. */
export const actionHelps: Texts<typeof english> = {
  "/op/members/settle":
    "Los puntos pendientes que ya se pueden usar pasan a estar disponibles, y los que han pasado su último día caducan. Esto ocurre solo cada día.",
  "/op/members/erase":
    "El nombre, el teléfono y los demás datos personales se borran para siempre. Si el miembro todavía tiene dinero, puntos o vales, se pierden, y hace falta un motivo.",
  "/op/members/merge": ({ first_name, last_name }) =>
    `Elija la otra ficha de la misma persona. Sus saldos y su historial pasan a ${first_name} ${last_name}, y se cierra.`,
  "/op/members/activate": "El miembro puede volver a ganar y canjear puntos.",
  "/op/promotions/resume": "Desde ahora se aplica a las ventas que correspondan.",
  "/op/occasions/resume": "Desde ahora los miembros la reciben. No se da nada por los días anteriores.",
  "/op/stamp-cards/resume": "Desde ahora las ventas dan sellos.",
  "/op/bulk-grants/cancel":
    "Los miembros que aún no han recibido nada no recibirán nada. Los demás lo conservan.",
  "/op/bulk-grants/resume": "Continúa con los miembros que aún no han recibido nada.",
  "/op/imports/start":
    "Las líneas que se pueden importar se registran. Las demás quedan fuera: puede corregirlas e importar el archivo de nuevo.",
  "/op/operators/enable": "La persona puede volver a iniciar sesión, con la misma contraseña.",
  "/op/webhook-deliveries/retry": "El evento se envía otra vez al punto de conexión, con el mismo contenido.",
  "/op/reward-points/reverse": undone,
  "/op/wallet/reverse": undone,
  "/op/promotions/pause":
    "No da nada hasta que se inicie de nuevo. Los miembros conservan lo que recibieron.",
  "/op/occasions/pause": "No da nada hasta que se inicie de nuevo. Los miembros conservan lo que recibieron.",
  "/op/stamp-cards/pause":
    "Las ventas no dan sellos hasta que se inicie de nuevo. Los miembros conservan los suyos.",
  "/op/sessions/revoke": "La persona debe iniciar sesión allí de nuevo.",
  "/op/bulk-grants/start": "Los miembros inactivos no reciben nada.",
  "/op/tiers/delete": ({ name, members }) =>
    members === 0
      ? `Ningún miembro tiene ahora el nivel ${name}.`
      : `Miembros con el nivel ${name} ahora: ${wholeText(members ?? 0)}. Sin él, cada uno tiene el más alto de los otros niveles que alcanzan sus ventas, o ninguno.`,
  "/op/vouchers/archive": ({ campaign_name, archived }) =>
    archived
      ? `${campaign_name} se puede emitir de nuevo.`
      : `¿Archivar ${campaign_name}? Ya no se podrá emitir. Los miembros conservan lo que tienen.`,
  "/op/webhook-endpoints/enable":
    "Elija dónde continuar. Los eventos desde ahí se envían, también los ya enviados. Es posible una vez cada cinco minutos.",
  "/op/webhook-endpoints/rotate-secret":
    "Durante un tiempo los eventos se firman con los dos secretos, para que el receptor cambie sin interrupción.",
  "/op/webhook-endpoints/delete":
    "Los eventos aún no entregados se pierden para este punto de conexión. También puede desactivarlo.",
  "/op/webhook-deliveries/replay": "Envía de nuevo los eventos de un periodo, junto a los nuevos.",
  "/op/integrations/enable":
    "Vuelve a recibir tokens, con su secreto actual. Los tokens anteriores siguen rechazados.",
  "/op/integrations/revoke-tokens":
    "En cinco segundos se rechazan todos los tokens emitidos hasta ahora. La integración puede obtener otro con su secreto. Si el secreto también se ha filtrado, cree antes uno nuevo.",
  "/op/integrations/delete":
    "La integración y sus secretos se eliminan. En cinco segundos se rechazan sus tokens. Lo que registró se queda.",
};
