import type { sessionTexts as english } from "../en/session.ts";
import type { Texts } from "../languages.ts";

/** The texts about signing in, and about passwords. */
export const sessionTexts: Texts<typeof english> = {
  signIn: {
    title: "Se connecter à la console de fidélité",
    submit: "Se connecter",
    noAccount: "Pas encore de compte ? Demandez une invitation à un propriétaire.",
  },

  credentials: {
    name: "Nom",
    password: "Mot de passe",
    current: "Mot de passe actuel",
    new_password: "Nouveau mot de passe",
    rules: "8 à 128 caractères. Pas l'un des mots de passe les plus courants.",
    show: "Afficher le mot de passe",
  },

  changePassword: {
    title: "Changer de mot de passe",
    explanation: "Vous restez connecté ici. Vos sessions dans d'autres navigateurs prennent fin.",
  },

  passwordDialog: {
    submit: "Continuer",
    expired: {
      title: "Se reconnecter",
      explanation: "Votre session a pris fin. Après la connexion, vous reprenez là où vous étiez.",
      cancel: "Se déconnecter",
    },
    confirm: {
      title: "Confirmer le mot de passe",
      explanation:
        "Votre mot de passe est redemandé, car cette action peut causer beaucoup de dégâts en de mauvaises mains.",
      cancel: "Annuler",
    },
  },

  accept: {
    title: "Choisir un mot de passe",
    titleFor: (name) => `Choisir un mot de passe pour ${name}`,
    explanation: "Vous vous connecterez désormais à la console de fidélité avec ce nom et ce mot de passe.",
    submit: "Enregistrer et se connecter",
    noToken:
      "Ce lien d'invitation est incomplet ou a déjà servi. Demandez-en un nouveau à la personne qui l'a envoyé.",
  },
};
