import { authenticate, defineMiddlewares } from "@medusajs/framework/http";

/** Routes below /store/customers/me and /admin require an account by themselves. */
export default defineMiddlewares({
  routes: [
    { matcher: "/store/carts/:id/loyalty", middlewares: [authenticate("customer", ["session", "bearer"])] },
    // The signature of a webhook is that of its bytes.
    { matcher: "/hooks/loyalty", methods: ["POST"], bodyParser: { preserveRawBody: true } },
  ],
});
