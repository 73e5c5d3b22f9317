import type { FastifyInstance } from 'fastify'
import { listLedgerEntries } from '../accounts/ledger.ts'
import { routes } from '../contract/routes.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { read } from './parameters.ts'

/** What credits came to the caller's account and went. */
export function ledgerRoutes(app: FastifyInstance, { db }: Service): void {
  app.get(routes.listLedger.path, async (request) => {
    const query = read(routes.listLedger.query, request.query)
    return success(await listLedgerEntries(db, callerOf(request).accountId, query))
  })
}
