import type { sessionTexts as english } from "../en/session.ts";
import type { Texts } from "../languages.ts";

/** The texts about signing in, and about passwords. */
export const sessionTexts: Texts<typeof english> = {
  signIn: {
    title: "Iniciar sesión en la consola de fidelización",
    submit: "Iniciar sesión",
    noAccount: "¿Aún no tiene cuenta? Pida una invitación a un propietario.",
  },

  credentials: {
    name: "Nombre",
    password: "Contraseña",
    current: "Contraseña actual",
    new_password: "Contraseña nueva",
    rules: "De 8 a 128 caracteres. Ninguna de las contraseñas más usadas.",
    show: "Mostrar la contraseña",
  },

  changePassword: {
    title: "Cambiar la contraseña",
    explanation: "Aquí sigue con la sesión iniciada. Sus sesiones en otros navegadores terminan.",
  },

  passwordDialog: {
    submit: "Continuar",
    expired: {
      title: "Iniciar sesión de nuevo",
      explanation: "Su sesión ha terminado. Después de iniciarla de nuevo, continúa donde estaba.",
      cancel: "Cerrar sesión",
    },
    confirm: {
      title: "Confirmar la contraseña",
      explanation: "Hace falta su contraseña otra vez, porque esto puede hacer mucho daño en malas manos.",
      cancel: "Cancelar",
    },
  },

  accept: {
    title: "Elegir una contraseña",
    titleFor: (name) => `Elegir una contraseña para ${name}`,
    explanation:
      "A partir de ahora inicia sesión en la consola de fidelización con este nombre y la contraseña.",
    submit: "Guardar e iniciar sesión",
    noToken:
      "Este enlace de invitación está incompleto o ya se ha usado. Pida otro a la persona que lo envió.",
  },
};
