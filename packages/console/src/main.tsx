/** Starts the console in the page that the service has sent. */
import "@mantine/core/styles.css";
import "./console.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { basePath, styleNonce } from "./api/place.ts";
import { queryClient } from "./api/queries.ts";
import { App } from "./app.tsx";
import { Notices } from "./feedback/notices.tsx";
import { theme } from "./theme.ts";

// Dialogs add a style element by a package that takes the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={queryClient}>
        <Router base={`${basePath}/console`}>
          <App />
        </Router>
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
