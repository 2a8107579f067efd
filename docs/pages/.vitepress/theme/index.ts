import DefaultTheme from "vitepress/theme-without-fonts";
import Layout from "./site-layout.vue";
import "./style.css";
import TryIt from "./try-it.vue";

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component("TryIt", TryIt);
  },
};
