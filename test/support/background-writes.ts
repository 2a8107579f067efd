import type { Database } from "../../src/database/connection.ts";

/**
 * Keeps background work from changing tables that a test compares before and after requests: webhooks are not sent, because
 * another process seems to have the lease of each endpoint, and notices are not marked as complete.
 */
export async function holdBackgroundWrites(sql: Database): Promise<void> {
  await sql.query(`
    CREATE OR REPLACE FUNCTION hold_lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.leased_by := 'nobody'; NEW.leased_until := 'infinity'; RETURN NEW; END $$`);
  await sql.query(`
    CREATE OR REPLACE TRIGGER hold_lease BEFORE INSERT OR UPDATE ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION hold_lease()`);
  await sql.query(`
    CREATE OR REPLACE FUNCTION hold_notices() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.noticed_on := OLD.noticed_on; RETURN NEW; END $$`);
  await sql.query(`
    CREATE OR REPLACE TRIGGER hold_notices BEFORE UPDATE OF noticed_on ON ledger
    FOR EACH ROW EXECUTE FUNCTION hold_notices()`);
}
