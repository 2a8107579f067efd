/** For programs of developers: the command of this package, and that of the service. */
export { type EventsWanted, type Forwarded, Listener } from "./listening.ts";
export { eventTypes, NotPrepared, type Place, triggerEvent } from "./triggering.ts";
