import { countedText } from "../decimals.ts";
import type * as english from "../en/partners.ts";
import type { Texts } from "../languages.ts";

/** The texts of the pages about partners, and about the service. */
export const partnerTexts: Texts<typeof english.partnerTexts> = {
  integrations: {
    title: "Intégrations",
    empty:
      "Aucun programme d'un partenaire n'a encore accès. Créez une intégration pour chaque caisse, application ou boutique.",
    presets: {
      till: "Caisse : enregistre ventes, remboursements et bons d'achat",
      booking: "Réservation ou boutique : enregistre ventes et membres",
      app: "Application des membres : montre ce qu'ils ont",
      reader: "Rapports : lit seulement",
      other: "Un autre programme",
    },
  },

  secret: {
    onlyOnce:
      "Conservez le secret maintenant. Il n'est montré qu'une fois ; ensuite, vous ne pourrez qu'en créer un autre.",
    invitation_token:
      "Envoyez ce lien à la personne. Il sert une fois, pendant 24 heures. Il n'est montré que maintenant.",
    page_path:
      "Donnez cette adresse au membre, par exemple dans un message. Toute personne qui l'a voit la carte du membre. Elle reste la même jusqu'à ce que vous la remplaciez.",
    request: (url, id, secret) =>
      `curl ${url}/sp/auth/token --json '{"client_id":"${id}","client_secret":"${secret}"}'`,
    copy: "Copier",
    copied: "Copié",
    stored: "Je l'ai conservé",
  },

  integration: {
    number: (id) => `Intégration ${id}`,
    disabled: (id) => `L'intégration ${id} est désactivée : ses requêtes sont refusées.`,
    more: "Plus",
    secrets: "Secrets valables",
    scopes: "Ce qu'elle peut faire",
    allLocations: "Tous, même futurs",
  },

  events: {
    title: "Événements",
    explanation:
      "Ce qui s'est passé ces dernières semaines, du plus récent au plus ancien. Les partenaires reçoivent la même chose.",
    off: "Les événements sont désactivés.",
    switchOn: "Activer les événements",
    switchOnHelp:
      "Dès maintenant, le service enregistre un événement pour chaque changement. Les changements antérieurs n'y sont pas.",
    empty: "Il n'y a pas d'événements.",
    data: "Toutes les données",
    sale: (saleId) => `Vente ${saleId}`,
  },

  requests: {
    title: "Requêtes",
    explanation:
      "Ce qui a échoué dans les requêtes des partenaires ces 7 derniers jours. Un code mène à sa signification et à sa solution.",
    counts: "Nombre par heure",
    empty: "Aucune requête n'a été refusée.",
    noCounts: "Il n'y a eu aucune requête.",
    lateReplay:
      "Elle a reçu la réponse d'un jour antérieur, et rien n'a été enregistré : sa clé d'idempotence et son contenu sont ceux d'une requête de plus de 12 heures avant. Si c'était une autre vente, cette vente manque. Dites au partenaire d'ajouter le jour et la caisse à ses clés.",
    whole: "Toute la requête",
    reason: (token) => `Le jeton : ${token}.`,
    unknownField:
      "Un champ que cette opération n'a pas. Son nom n'est pas conservé, car il peut être personnel.",
    fieldOfOthers: (field) => `${field} : cette opération n'a pas ce champ`,
    advice: {
      sp_scope_not_granted: (scope, meaning) =>
        `Il faut le droit ${scope} : ${meaning} Pour l'autoriser, modifiez l'intégration et choisissez ce droit. Le partenaire demande ensuite un nouveau jeton.`,
      sp_token_scope_missing: (scope) =>
        `L'intégration a le droit ${scope}, mais son jeton est plus ancien. Le partenaire en demande un nouveau.`,
      sp_location_not_allowed: () =>
        "Pour autoriser le point de vente, modifiez l'intégration. Ou le partenaire en utilise un autre qui est autorisé.",
      operation_not_found: () => "Le partenaire vérifie le chemin de la requête.",
      validation_failed: () => "Le partenaire corrige cela. La réponse en dit plus sur chaque champ.",
      legacy_field_not_allowed: () =>
        "Le partenaire retire ce champ d'une ancienne interface. La réponse dit ce qui le remplace.",
    },
    unknownPath: "chemin inconnu",
  },
};

export const serviceTexts: Texts<typeof english.serviceTexts> = {
  accounts: {
    title: "Comptes",
    empty: "Il n'y a pas encore de comptes : seule la clé d'opérateur permet de se connecter.",
    keys: "Clés de scripts",
    noKeys: "Aucun script n'a de clé.",
    sessions: "Qui est connecté",
    noSessions: "Personne n'est connecté.",
  },

  audit: {
    title: "Journal",
    explanation: "Qui a changé quoi, et quand.",
    empty: "Il n'y a pas encore d'entrées.",
    noneFound: "Aucune entrée ne correspond.",
    actor: (name, kind) => (name.startsWith(kind) ? name : `${name} (${kind})`),
    becomes: " → ",
  },

  sandbox: {
    title: "Horloge du bac à sable",
    explanation:
      "L'heure d'un bac à sable est arrêtée jusqu'à ce que vous l'avanciez. On ne peut pas la reculer.",
    now: "L'heure dans ce bac à sable",
    steps: { day: "Avancer de 1 jour", month: "Avancer de 30 jours", year: "Avancer de 365 jours" },
    advance: "Avancer",
    to: "À un autre jour…",
    advancing: (entries) => `L'horloge avance. Jusqu'ici : ${countedText(entries, "écriture", "écritures")}.`,
    happened: (entries, from, through) =>
      `Du ${from} au ${through} : ${countedText(entries, "écriture", "écritures")}`,
    nothing: "Rien n'a été enregistré.",
  },

  system: {
    title: "Système",
    notes: {
      ledger_lead_seconds:
        "Devrait être 0. Plus signifie que l'horloge de la base de données a reculé. Les nouvelles écritures gardent la dernière heure jusqu'à ce qu'elle la rattrape.",
      last_mismatch_at:
        "Devrait être « jamais ». Sinon, vérifiez les écritures ci-dessous, et prévenez votre administrateur.",
      shared_buffers_bytes: "La base de données est la plus rapide tant que ce qu'il lui faut tient ici.",
      rejected: "Des requêtes erronées. La page « Requêtes » de chaque entreprise dit pourquoi.",
      failed: "Devrait être 0. Le journal du service dit pourquoi.",
      mean_milliseconds: "Moins, c'est mieux.",
      waiting: "Devrait être proche de 0. Si cela reste élevé, la base de données est trop lente.",
      mean_batch_size: "Ni bon ni mauvais : plus quand le service est occupé.",
      mean_batch_milliseconds: "Moins, c'est mieux. Cela dépend du disque de la base de données.",
      failing: "Devrait être 0. Le service réessaie tout seul.",
      disabled: "Devrait être 0. La page « Webhooks » de chaque entreprise dit pourquoi.",
      backlog_seconds: "Devrait être de quelques secondes.",
    },
    verify: "Vérification des écritures",
    verifyHelp:
      "Additionne de nouveau toutes les écritures, et compare chaque solde de toutes les entreprises avec la somme. Tout le monde peut continuer à travailler.",
    verifyStart: "Vérifier maintenant",
    right: "Les écritures sont justes.",
    wrong: (mismatches) =>
      `Les écritures sont fausses : ${countedText(mismatches, "écart", "écarts")}. Lancez loyalty verify pour les voir.`,
  },
};
