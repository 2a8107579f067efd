/** The service in one process, over a migrated database. */
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { watchMoves } from "./abandoned-moves.ts";
import type { Config } from "./config.ts";
import type { Operation } from "./contract/operation.ts";
import type { ProcessStatus } from "./contract/services.ts";
import { deriveKeys, hashSecret, type ServiceKeys } from "./credentials/keys.ts";
import { createPasswords, hashesAtOnce } from "./credentials/passwords.ts";
import { createRootKey } from "./credentials/root-key.ts";
import { createTokens } from "./credentials/tokens.ts";
import { insertAuditEntries } from "./database/access/audit.ts";
import { findBusiness } from "./database/access/businesses.ts";
import { findIntegration } from "./database/access/integrations.ts";
import { findOperatorBySession } from "./database/access/operator-sessions.ts";
import { findOperatorByKey } from "./database/access/operators.ts";
import { replaceRootKey } from "./database/access/root-key.ts";
import type { ConnectionSettings, Database } from "./database/connection.ts";
import { describeFault } from "./database/faults.ts";
import { countNewEntries } from "./database/ledger/counts.ts";
import { type DatabasePools, endPools, openPools } from "./database/pools.ts";
import { requestsInto } from "./database/requests.ts";
import { ping } from "./database/server.ts";
import { FairQueue } from "./domain/fair-queue.ts";
import { addressPolicy } from "./domain/webhooks/addresses.ts";
import { addProcessMetrics, createMetrics, type Metrics } from "./http/metrics.ts";
import { createServer, type Phase } from "./http/server.ts";
import { takeImport } from "./imports/take-import.ts";
import { startJobs } from "./jobs.ts";
import { explainListening, serveMetrics } from "./listening.ts";
import { createLog } from "./log.ts";
import { walletPasses } from "./operations/members/wallet-passes.ts";
import { operatorOperations, partnerOperations } from "./operations/operations.ts";
import { packageRoot, version } from "./package.ts";
import { pagesAt, sharesOfPages } from "./pages.ts";
import { cachedIntegrations, partnerAuthentication } from "./pipeline/access/authentication.ts";
import { createCredentialEvents, rootKeyReplaced } from "./pipeline/access/credential-events.ts";
import { cachedOperators, operatorAuthentication } from "./pipeline/access/operator-authentication.ts";
import { createBodyCheck } from "./pipeline/body.ts";
import { createUnauthenticatedLimit, RateLimiter, withTimeout } from "./pipeline/limits.ts";
import type { PipelineParts, ReadBody } from "./pipeline/parts.ts";
import { call, run } from "./pipeline/pipeline.ts";
import { takeBulkGrant } from "./pipeline/postings/bulk-grants.ts";
import {
  commitGroup,
  createLedgerCounting,
  type LedgerCounting,
  type OnEvents,
  type OnRecorded,
} from "./pipeline/postings/group-commit.ts";
import { createMemberReader } from "./pipeline/postings/member-reader.ts";
import { type Backlog, PostingQueue } from "./pipeline/postings/posting-queue.ts";
import { startSettling } from "./pipeline/postings/settling.ts";
import type { Credentials, OperationRequest } from "./pipeline/request.ts";
import { createRequestLog } from "./pipeline/request-log.ts";
import { startSweeper } from "./sweeper.ts";
import { startWallets } from "./wallets.ts";
import { createSender } from "./webhooks.ts";

/** All operations. The URL of each is the base path, followed by its path. */
const operations: readonly Operation[] = [...partnerOperations, ...operatorOperations];

const schemaVersion = readdirSync(join(packageRoot, "migrations")).filter((name) =>
  name.endsWith(".sql"),
).length;

/**
 * A search that can't use an index takes 0.5 s of a core among a million members. A business has one such statement at once, and
 * pauses after it as long as it took, so that others get the rest of the processor time.
 */
const scanSettings = {
  atOnce: 4,
  keepsPlacesFree: 2,
  mostWaiting: 50,
  mostInAll: 100,
  longestWaitMilliseconds: 10_000,
  retryAfterSeconds: 2,
  clock: () => performance.now(),
  rest: (milliseconds: number) => sleep(milliseconds, undefined, { ref: false }),
};
/** The log warns of a wrong clock at most once in this time. */
const warnEveryMilliseconds = 60_000;
/** A network may send this many times more wrong passwords than failed tokens before none is verified. Many people may share it. */
const wrongPasswordFactor = 10;
/** While so many postings wait or are in flight, they come before webhooks. */
const busyDepth = 16;
/** Authentication reads one row. After five seconds, the database counts as unavailable. */
const withLookUpTimeout = <Row>(row: Promise<Row>) => withTimeout(5000, row);

/** The database and the secrets, as plain data that can be sent to a worker. */
export interface Secrets {
  /** A PostgreSQL URL, or where the embedded one listens. */
  readonly database: string | ConnectionSettings;
  readonly secret: string;
  readonly operatorKey: string;
  /** A new key in this file takes effect without a restart. Undefined: the key does not change. */
  readonly operatorKeyFile?: string | undefined;
}

/** Stops a part that was started. */
export type Undo = () => Promise<unknown>;

export interface Serving {
  readonly service: string;
  readonly metrics: string | undefined;
  /** Only in the phase "serving", the service reports that it is ready. */
  setPhase(phase: Phase): void;
}

/**
 * Serves from this process, with its own pools.
 * @param undo gets the functions that stop the service. Run them in the reverse order.
 * @returns the addresses that it listens on
 */
export async function serve(config: Config, { database, ...keys }: Secrets, undo: Undo[]): Promise<Serving> {
  const pools = openPools(database, config.databaseConnections, config.readDatabaseUrl);
  undo.push(() => endPools(pools));
  const log = createLog(config.logLevel);
  undo.push(async () => log.info("stopped"));
  let phase: Phase = "starting";
  const service = createService(config, { ...pools, ...keys, log, phase: () => phase });
  undo.push(() => service.close());
  addProcessMetrics(service.registry);
  const metrics = await serveMetrics(config, service.metrics, undo, log);
  const address = await service.listen(config).catch((error: unknown) => explainListening(error, config));
  log.info({ version, address, database: databaseKind(config), workers: config.workers }, "started");
  return {
    service: address,
    metrics,
    setPhase: (next) => {
      phase = next;
    },
  };
}

const databaseKind = ({ databaseUrl }: Config) => (databaseUrl === undefined ? "embedded" : "external");

export type Service = ReturnType<typeof createService>;

interface ServiceParts extends DatabasePools, Omit<Secrets, "database"> {
  readonly log: Logger;
  /** By default, the service is serving from the start. */
  readonly phase?: () => Phase;
}

/** Makes a service over an open, migrated database. */
export function createService(
  config: Config,
  {
    sql,
    lookUps,
    postings: postingConnections,
    longRunning,
    secret,
    log,
    phase = () => "serving",
    ...keyParts
  }: ServiceParts,
) {
  const keys = deriveKeys(secret, config.previousSecret);
  const backlog: Backlog = { postings: 0 };
  const metrics = createMetrics({
    version,
    schemaVersion,
    queueDepth: () => backlog.postings,
    connections: config.databaseConnections,
    pools: { general: sql, lookups: lookUps, postings: postingConnections, long_running: longRunning },
  });
  const isBusy = (atLeast = busyDepth) => backlog.postings >= atLeast;
  const sender = createSender(config, { sql, keys, log, metrics, isBusy });
  const onEvents = (businessId: number) => sender.wake(businessId);
  const counting = createLedgerCounting((id) => countNewEntries(sql.shareOf(id), id), log);
  const postings = createPostings(postingConnections, backlog, { counting, onEvents, metrics }, log);
  const tokens = createTokens(keys.tokenSigning, Date.now);
  const integrations = cachedIntegrations((id) => withLookUpTimeout(findIntegration(lookUps, id)));
  const limits = createLimits(config);
  const credentialEvents = createCredentialEvents((entries) => insertAuditEntries(sql, entries), log);
  const requestLog = createRequestLog(requestsInto(sql), { ...config, log, metrics, operations, tokens });
  const rootKey = watchRootKey(keyParts, sql, keys, log);
  const operators = createOperators(rootKey.isKey, { lookUps, sql });
  const parts: PipelineParts = {
    pools: { sql, lookUps, longRunning },
    services: servicesOf(config, keys, { ...limits, tokens, postings, metrics, requestLog }),
    keys,
    partnerAuthentication: partnerAuthentication(tokens, integrations),
    operatorAuthentication: operatorAuthentication(
      operators,
      (businessId) => withLookUpTimeout(findBusiness(lookUps, businessId)),
      limits.failedCredentials,
      credentialEvents.operatorKeyRejected,
    ),
    postings,
    ...limits,
    checkBody: createBodyCheck(operations, config.legacyFields, config.unknownFields),
    eventsRecorded: onEvents,
    operatorWrote: () => forget(integrations, operators, { forget: () => jobs.wake() }),
    sessionChanged: () => operators.forget(),
    credentialEvents,
    reportFault: (request_id, error) =>
      log.error({ request_id, fault: describeFault(error) }, "a request failed"),
  };
  const passes = walletPasses(sharesOfPages(sql), parts.services, keys);
  const server = createServer({
    ...config,
    logRequest: requestLog.add,
    runners: runnersByPath(config, parts),
    ...pagesAt(config.basePath, sql, parts.services, passes, log),
    log,
    metrics,
    ready: () => Promise.all([sql, lookUps, postingConnections].map(ping)),
    phase,
    unauthenticatedLimit: limits.unauthenticated,
    addressLimits: limits.address,
  });
  const passUpdates = startWallets(config, { sql, keys, passes, metrics, log });
  const [stopSweeper, moves] = [startSweeper(sql, config, log, metrics), watchMoves(sql, log)];
  const settling = startSettling(sql, postings, log);
  const jobPools = poolsOfJobs({ sql, lookUps, longRunning }, parts.services);
  const jobs = startJobs([takeImport, takeBulkGrant], { ...jobPools, eventsRecorded: onEvents, isBusy, log });
  return {
    listen: server.listen,
    /** Calls an operation with values, without HTTP. */
    call: (operation: Operation, credentials: Credentials, readBody: ReadBody) =>
      call(operation, credentials, readBody, parts),
    registry: metrics.registry,
    metrics: () => metrics.registry.metrics(),
    /** Responds to requests in flight, and then closes everything but the database. */
    async close() {
      stopSweeper();
      await Promise.all([moves.stop(), settling.stop(), jobs.stop()]);
      await Promise.all([server.close(), sender.stop(), passUpdates.stop()]);
      await Promise.all([credentialEvents, requestLog, rootKey].map((part) => part.finish()));
      await counting.finished();
      metrics.registry.clear();
    },
  };
}

/** The connections of jobs. */
const poolsOfJobs = (
  { sql, lookUps, longRunning }: Pick<DatabasePools, "sql" | "lookUps" | "longRunning">,
  services: PipelineParts["services"],
) => ({
  sql,
  servicesOf: (businessId: number) => {
    const owner = `job ${businessId}`;
    return { lookUps: lookUps.shareOf(owner), longRunning: longRunning.shareOf(owner), ...services };
  },
});

function forget(...caches: readonly { forget(): void }[]): void {
  for (const cache of caches) cache.forget();
}

function createOperators(
  isRootKey: (candidate: string) => Promise<boolean>,
  pools: Pick<DatabasePools, "lookUps" | "sql">,
) {
  return cachedOperators({
    isRootKey,
    findByKey: (key) => withLookUpTimeout(findOperatorByKey(pools, hashSecret(key))),
    findBySession: (token) => withLookUpTimeout(findOperatorBySession(pools, hashSecret(token))),
  });
}

/** Makes the check of the operator key. A change of the key is written to the audit log. */
function watchRootKey(
  { operatorKey: key, operatorKeyFile: file }: Pick<Secrets, "operatorKey" | "operatorKeyFile">,
  sql: Database,
  keys: ServiceKeys,
  log: Logger,
) {
  const onUse = async (used: string) => {
    const payload = `operator key ${used}`;
    const before = keys.fingerprintBefore?.(payload);
    const fingerprints = [keys.fingerprint(payload), ...(before === undefined ? [] : [before])] as const;
    const replaced = await sql.begin(async (tx) => {
      const isOther = await replaceRootKey(tx, fingerprints);
      if (isOther) await insertAuditEntries(tx, [rootKeyReplaced()]);
      return isOther;
    });
    if (replaced) log.warn("the operator key was replaced");
  };
  const onFault = (fault: string) => log.warn(`${fault}; the previous key stays valid`);
  const { isKey, start } = createRootKey({ key, file }, { onUse, onFault });
  const started = start();
  return { isKey, finish: () => started };
}

interface ServedParts extends Pick<PipelineParts["services"], "tokens" | "wrongCodes"> {
  readonly postings: PostingQueue;
  readonly metrics: Metrics;
  readonly requestLog: { readonly written: PipelineParts["services"]["requestsWritten"] };
}

function servicesOf(
  config: Config,
  { seal, canUnseal, pageToken, pageTokenBefore }: PipelineParts["keys"],
  { tokens, wrongCodes, postings, metrics, requestLog }: ServedParts,
): PipelineParts["services"] {
  return {
    passwords: createPasswords(hashesAtOnce(availableParallelism(), config.workers)),
    tokens,
    clock: Date.now,
    members: createMemberReader(postings),
    scans: new FairQueue(scanSettings),
    consoles: config.consoles,
    wrongCodes,
    webhookAddresses: addressPolicy(config.webhookPorts, config.webhookNetworks),
    seal,
    canUnseal,
    pageToken,
    pageTokenBefore,
    status: statusOf(config, postings, metrics),
    ledgerVerified: metrics.ledgerVerified,
    requestsWritten: requestLog.written,
  };
}

/** Makes the limits of this process. With 0 in the configuration, there is no limit. */
function createLimits(config: Config) {
  const { rateLimit, failedTokenLimit, wrongCodeLimit, unauthenticatedLimit, processes } = config;
  const limiter = (perSecond: number, burst: number) =>
    burst === 0 ? undefined : new RateLimiter({ perSecond, burst }, processes);
  return {
    rateLimiter: limiter(rateLimit, 2 * rateLimit),
    failedCredentials: limiter(failedTokenLimit / 60, failedTokenLimit),
    wrongPasswords: limiter(
      (wrongPasswordFactor * failedTokenLimit) / 60,
      wrongPasswordFactor * failedTokenLimit,
    ),
    wrongCodes: limiter(wrongCodeLimit / 60, wrongCodeLimit),
    unauthenticated: createUnauthenticatedLimit(unauthenticatedLimit, processes),
    address: {
      connections: Math.ceil(config.connectionLimit / processes),
      rejectedBytes: Math.ceil(config.rejectedBytesLimit / processes),
    },
  };
}

function createPostings(
  connections: Database,
  backlog: Backlog,
  { counting, onEvents, metrics }: { counting: LedgerCounting; onEvents: OnEvents; metrics: Metrics },
  log: Logger,
): PostingQueue {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const onRecorded: OnRecorded = (ledger, lastEntryNo) => {
    counting.recorded(ledger.business_id, ledger.last_entry_no, lastEntryNo);
    if (!ledger.behind || performance.now() < warnedAt + warnEveryMilliseconds) return;
    warnedAt = performance.now();
    log.warn({ business_id: ledger.business_id }, "the database's clock is behind the last recorded entry");
  };
  // Groups that wait for a lock get only half of the connections, so that other groups get some.
  const waitingGroupsAtOnce = Math.floor(connections.connections / 2);
  const groupsAtOnce = connections.connections - waitingGroupsAtOnce;
  return new PostingQueue(
    (commands, whenLocked) => commitGroup(connections, commands, whenLocked, onRecorded, onEvents),
    { groupsAtOnce, waitingGroupsAtOnce },
    metrics.batchRecorded,
    backlog,
  );
}

/** Maps each full path to the function that runs its operation. */
function runnersByPath({ basePath }: Config, parts: PipelineParts) {
  return new Map(
    operations.map((operation) => [
      basePath + operation.path,
      (request: OperationRequest) => run(operation, request, parts),
    ]),
  );
}

function statusOf(config: Config, postings: PostingQueue, metrics: Metrics): () => ProcessStatus {
  return () => ({
    version,
    uptimeSeconds: Math.floor(process.uptime()),
    database: databaseKind(config),
    queueDepth: postings.depth(),
    recent: metrics.recentActivity(),
  });
}
