import { wholeText } from "../decimals.ts";
import type { actionHelps as english } from "../en/action-help.ts";
import type { Texts } from "../languages.ts";

const undone = "Une nouvelle écriture annule celle-ci. Les deux restent dans l'historique.";

/** What dialogs explain, by the path of the operation. */
export const actionHelps: Texts<typeof english> = {
  "/op/members/settle":
    "Les points en attente devenus utilisables sont débloqués, et ceux qui ont dépassé leur dernier jour expirent. Cela se fait tout seul chaque jour.",
  "/op/members/erase":
    "Le nom, le téléphone et les autres données personnelles sont effacés définitivement. Si le membre a encore de l'argent, des points ou des bons d'achat, ils sont perdus, et un motif est obligatoire.",
  "/op/members/merge": ({ first_name, last_name }) =>
    `Choisissez l'autre fiche de la même personne. Ses soldes et son historique passent à ${first_name} ${last_name}, et elle est fermée.`,
  "/op/members/activate": "Le membre peut de nouveau gagner et utiliser des points.",
  "/op/promotions/resume": "Dès maintenant, elle s'applique aux ventes qui y correspondent.",
  "/op/occasions/resume": "Dès maintenant, les membres en profitent. Rien n'est donné pour les jours passés.",
  "/op/stamp-cards/resume": "Dès maintenant, les ventes donnent des tampons.",
  "/op/bulk-grants/cancel":
    "Les membres qui n'ont encore rien reçu ne recevront rien. Les autres gardent ce qu'ils ont.",
  "/op/bulk-grants/resume": "Cela continue avec les membres qui n'ont encore rien reçu.",
  "/op/imports/start":
    "Les lignes qui peuvent être importées sont enregistrées. Les autres sont laissées de côté : vous pouvez les corriger et importer le fichier de nouveau.",
  "/op/operators/enable": "La personne peut de nouveau se connecter, avec le même mot de passe.",
  "/op/webhook-deliveries/retry": "L'événement est renvoyé au point de terminaison, avec le même contenu.",
  "/op/reward-points/reverse": undone,
  "/op/wallet/reverse": undone,
  "/op/promotions/pause":
    "Elle ne donne plus rien tant que vous ne la démarrez pas de nouveau. Les membres gardent ce qu'ils ont reçu.",
  "/op/occasions/pause":
    "Elle ne donne plus rien tant que vous ne la démarrez pas de nouveau. Les membres gardent ce qu'ils ont reçu.",
  "/op/stamp-cards/pause":
    "Les ventes ne donnent plus de tampons tant que vous ne la démarrez pas de nouveau. Les membres gardent les leurs.",
  "/op/sessions/revoke": "La personne doit s'y connecter de nouveau.",
  "/op/bulk-grants/start": "Les membres inactifs ne reçoivent rien.",
  "/op/tiers/delete": ({ name, members }) =>
    members === 0
      ? `Aucun membre n'a le palier ${name} en ce moment.`
      : `Membres qui ont le palier ${name} : ${wholeText(members ?? 0)}. Sans lui, chacun a le plus haut des autres paliers que ses ventes atteignent, ou aucun.`,
  "/op/vouchers/archive": ({ campaign_name, archived }) =>
    archived
      ? `${campaign_name} peut de nouveau être émis.`
      : `Archiver ${campaign_name} ? Il ne pourra plus être émis. Les membres gardent ce qu'ils ont.`,
  "/op/webhook-endpoints/enable":
    "Choisissez où reprendre. Les événements à partir de là sont envoyés, même ceux qui l'ont déjà été. C'est possible une fois toutes les cinq minutes.",
  "/op/webhook-endpoints/rotate-secret":
    "Pendant un temps, les événements sont signés avec les deux secrets, pour que le destinataire change sans interruption.",
  "/op/webhook-endpoints/delete":
    "Les événements pas encore livrés sont perdus pour ce point de terminaison. Vous pouvez plutôt le désactiver.",
  "/op/webhook-deliveries/replay": "Renvoie les événements d'une période, à côté des nouveaux.",
  "/op/integrations/enable":
    "Elle reçoit de nouveau des jetons, avec son secret actuel. Les anciens jetons restent refusés.",
  "/op/integrations/revoke-tokens":
    "En cinq secondes, tous les jetons émis jusqu'ici sont refusés. L'intégration peut en obtenir un autre avec son secret. Si le secret a fui aussi, créez-en d'abord un autre.",
  "/op/integrations/delete":
    "L'intégration et ses secrets sont supprimés. En cinq secondes, ses jetons sont refusés. Ce qu'elle a enregistré reste.",
};
