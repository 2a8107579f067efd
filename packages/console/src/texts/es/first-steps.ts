import { countedText } from "../decimals.ts";
import type { firstSteps as english } from "../en/first-steps.ts";
import type { Texts } from "../languages.ts";

/** The texts of the page that leads through the set-up. Only it loads them. */
export const firstSteps: Texts<typeof english> = {
  title: "Primeros pasos",
  explanation:
    "De una empresa nueva a una venta que dio puntos. Puede hacer los pasos en cualquier orden, y volver a ellos más tarde.",
  done: "Hecho",
  missing: "Por hacer",
  found: (names) =>
    `Hasta ahora: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` y ${names.length - 5} más` : ""}.`,
  steps: {
    business: {
      title: "La empresa",
      text: "Su nombre, moneda, zona horaria y país.",
      links: { "~/businesses": "Todas las empresas" },
    },
    locations: {
      title: "Dónde compran los miembros",
      text: "Una tienda, un puesto, una tienda en línea. Una venta indica su tienda.",
      links: { "/locations": "Todas las tiendas" },
    },
    earning: {
      title: "Qué dan las ventas",
      text: "Cuántos puntos recibe un miembro por qué importe, y a partir de qué importe de compra. Los artículos que no dan nada, como las tarjetas regalo, y los que tienen su propia tarifa se configuran en el programa.",
      links: { "/programs": "Programas", "/rules": "Reglas de los puntos" },
    },
    integration: {
      title: "Qué registra las ventas",
      text: "Una caja u otro programa registra las ventas. Recibe un secreto y una primera petición, que usted copia.",
      links: { "/integrations": "Todas las integraciones" },
    },
    sale: {
      title: "Una primera venta con puntos",
      text: "Registre una venta con la caja. Si no llega, mire sus últimas peticiones. O importe ventas pasadas de un archivo, para que den puntos.",
      links: { "/requests": "Las últimas peticiones" },
    },
    worth: {
      title: "Cuánto valen los puntos",
      text: "Los miembros pueden pagar con puntos en cuanto estos valen un importe. Lo que ni puntos ni vales pueden pagar, como los medicamentos con receta, se configura en el programa.",
      links: { "/rules": "Reglas de los puntos", "/vouchers": "Vales" },
    },
    more: {
      title: "Qué más reciben los miembros",
      text: "Las promociones dan más algunos días, por algunos artículos o a algunos miembros. Las tarjetas de sellos dan un vale, por ejemplo por el décimo café. Los niveles son para miembros que compran mucho.",
      links: { "/promotions": "Promociones", "/stamp-cards": "Tarjetas de sellos", "/tiers": "Niveles" },
    },
    people: {
      title: "Compañeros",
      text: "Cada persona tiene una cuenta. Un enlace, válido durante 24 horas, le permite elegir una contraseña.",
      links: { "~/accounts": "Todas las cuentas" },
    },
  },
  invite: "Invitar a alguien",
  setWorth: "Fijar el valor de los puntos",
  setRate: "Fijar los puntos por venta",
  rateHelp: "Puede cambiarlo más tarde. Los ejemplos dicen qué da una venta.",
  program: "Puntos",
  example: (amount, points) => `Una venta de ${amount} da ${countedText(points, "punto", "puntos")}.`,
};
