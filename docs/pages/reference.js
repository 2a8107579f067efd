// Fills the reference page. The reader is told to keep to this host: its fonts, proxies and services are off.
const place = document.querySelector("#reference");

globalThis.Scalar.createApiReference(place, {
  url: place.dataset.document,
  agent: { disabled: true },
  authentication: { preferredSecurityScheme: "accessToken" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  documentDownloadType: "none",
  hideClientButton: true,
  hideDarkModeToggle: true,
  hideModels: true,
  operationTitleSource: "summary",
  orderRequiredPropertiesFirst: false,
  orderSchemaPropertiesBy: "preserve",
  showDeveloperTools: "never",
  telemetry: false,
  theme: "default",
  withDefaultFonts: false,
});
