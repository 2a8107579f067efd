/** The texts about signing in, and about passwords. */
export const sessionTexts = {
  signIn: {
    title: "Sign in to the loyalty console",
    submit: "Sign in",
    noAccount: "No account yet? Ask an owner for an invitation.",
  },

  credentials: {
    name: "Name",
    password: "Password",
    current: "Current password",
    new_password: "New password",
    rules: "8 to 128 characters. Not one of the most used passwords.",
    show: "Show the password",
  },

  changePassword: {
    title: "Change your password",
    explanation: "You stay signed in here. Your sessions in other browsers end.",
  },

  passwordDialog: {
    submit: "Continue",
    expired: {
      title: "Sign in again",
      explanation: "Your session has ended. After you have signed in, you continue where you were.",
      cancel: "Sign out",
    },
    confirm: {
      title: "Confirm your password",
      explanation: "This needs your password again, because it can do much damage in wrong hands.",
      cancel: "Cancel",
    },
  },

  accept: {
    title: "Choose your password",
    titleFor: (name: string) => `Choose a password for ${name}`,
    explanation: "With this name and the password, you sign in to the loyalty console from now on.",
    submit: "Save and sign in",
    noToken:
      "This invitation link is incomplete or was used before. Ask the person who sent it for a new one.",
  },
} as const;
