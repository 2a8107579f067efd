// The shop of the tests. A shop of yours has its options in medusa-config.ts: see packages/medusa-plugin.
const { defineConfig } = require("@medusajs/framework/utils");

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: { storeCors: "*", adminCors: "*", authCors: "*", jwtSecret: "secret", cookieSecret: "secret" },
  },
  admin: { disable: true },
  plugins: [{ resolve: "medusa-plugin-loyalty", options: JSON.parse(process.env.LOYALTY_OPTIONS) }],
});
