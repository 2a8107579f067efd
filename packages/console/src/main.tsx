/** Starts the console in the page that the service has sent. */
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "uplot/dist/uPlot.min.css";
import "./console.css";
import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { basePath, styleNonce } from "./api/place.ts";
import { queryClient } from "./api/queries.ts";
import { App } from "./app.tsx";
import { loadForms } from "./forms/operation-button.tsx";
import { texts } from "./texts/en/texts.ts";

/** Colours with enough contrast in light and dark. */
const eye = { "aria-label": texts.credentials.show };
const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: "sm",
  // Text is as large as in tables and inputs.
  fontSizes: { md: "var(--mantine-font-size-sm)" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // In its own colour, the text would have too little contrast.
    Badge: { defaultProps: { variant: "light", c: "var(--mantine-color-text)", tt: "none", fw: 600 } },
    // Colours in which initials are easy to read.
    Avatar: { defaultProps: { color: "initials", allowedInitialsColors: ["cyan", "blue", "grape"] } },
    // Both of its parts have the name of the field.
    ColorPicker: { defaultProps: { hueLabel: texts.labels.color, saturationLabel: texts.labels.color } },
    Alert: { defaultProps: { variant: "light", my: "md" } },
    // A name that is longer than its input.
    Input: { styles: { input: { textOverflow: "ellipsis" } } },
    // It only disables a group of inputs.
    Fieldset: { defaultProps: { variant: "unstyled", mx: 0 } },
    // A header element would be a second banner of the page.
    ModalHeader: { defaultProps: { component: "div" } },
    ModalTitle: { defaultProps: { fz: "lg", fw: 600, lh: "sm", className: "wraps" } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: eye } },
    // Its labels change their colour slowly, also for people who want less motion.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    // The menu of a screen reader has only items. A menu outside of the page's parts is in no landmark.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
    // It opens when a person writes or clicks. Beside the field, its list is in the landmark of the dialog.
    Select: {
      defaultProps: { comboboxProps: { withinPortal: false }, withScrollArea: false, openOnFocus: false },
    },
  },
});

// The colours of Mantine have too little contrast with the label.
const underPointer = { "--mantine-color-cyan-filled-hover": "#095c6b" };
const light = { ...underPointer, "--mantine-color-cyan-light-hover": "#b8f3f8" };
const cssVariablesResolver = () => ({ variables: {}, light, dark: underPointer });

// Paper is white, also for a person with dark colours.
const [{ dataset: shown }, print] = [document.documentElement, matchMedia("print")];
print.addEventListener("change", () => {
  if (print.matches) shown.scheme = shown.mantineColorScheme;
  shown.mantineColorScheme = print.matches ? "light" : shown.scheme;
});

// Dialogs add a style element by a package that takes the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

// While the service says who this is, what comes next is loaded: the form for signing in, or what all pages need but Today.
if (localStorage.length === 0) void import("./session/password-form.tsx");
else if (!/\/(?:today)?$/.test(location.pathname)) void loadForms();

document.getElementById("first")?.remove();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      {...{ theme, cssVariablesResolver }}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Router base={`${basePath}/console`}>
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
