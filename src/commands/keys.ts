import { readConfig } from '../config/config.ts'
import { accountTypes } from '../contract/account.ts'
import {
  parseCredits,
  parseDays,
  requireOption,
  UsageError,
  type Command,
  type CommandCall,
} from './command.ts'
import type { AccountContext } from './manage-accounts.ts'

/** Commands that manage the accounts and API keys of the service on this machine, whether it runs or not. */
export const keysCommands = {
  create: {
    summary: 'create an API key for the local service, and its account if it is new; print the key once',
    options: {
      name: { type: 'string' },
      account: { type: 'string' },
      quota: { type: 'string' },
      days: { type: 'string' },
    },
    help: [
      ['--name <name>', 'name of the key in the list'],
      ['--account <name>', 'account of the key (local)'],
      [
        '--quota <credits>',
        'credits that tasks of the key may cost in total; by default only the balance limits them',
      ],
      ['--days <days>', 'days until the key expires; by default it does not expire'],
    ],
    async run(call) {
      const { name, account, quota, days } = call.values
      const { createKey } = await import('./manage-accounts.ts')
      await createKey(await accountContext(call), {
        name: requireOption('name', name),
        account,
        ...(quota !== undefined && { quota: parseCredits('--quota', quota, 0) }),
        days: parseDays('--days', days, { min: 1, max: 3650 }),
      })
    },
  },
  list: {
    summary: 'list the keys, without the keys themselves',
    async run(call) {
      const { printKeys } = await import('./manage-accounts.ts')
      await printKeys(await accountContext(call))
    },
  },
  revoke: {
    summary: 'revoke a key',
    argument: 'id',
    async run(call) {
      const { revokeKeyById } = await import('./manage-accounts.ts')
      await revokeKeyById(await accountContext(call), call.args[0] ?? '')
    },
  },
  grantCredits: {
    summary: 'add credits to an account, and print its balance',
    argument: 'credits',
    options: { account: { type: 'string' } },
    help: [['--account <name>', 'account that receives the credits']],
    async run(call) {
      const { grantAccountCredits } = await import('./manage-accounts.ts')
      await grantAccountCredits(await accountContext(call), {
        account: requireOption('account', call.values.account),
        amount: parseCredits('<credits>', call.args[0] ?? '', 1),
      })
    },
  },
  setAccountType: {
    summary: 'set the type of an account: standard, or internal, whose image descriptions are free',
    argument: 'type',
    options: { account: { type: 'string' } },
    help: [['--account <name>', 'account whose type is set']],
    async run(call) {
      const [given = ''] = call.args
      const type = accountTypes.find((one) => one === given)
      if (!type) throw new UsageError(`<type> must be ${accountTypes.join(' or ')}`)
      const { changeAccountType } = await import('./manage-accounts.ts')
      const account = requireOption('account', call.values.account)
      await changeAccountType(await accountContext(call), { account, type })
    },
  },
} as const satisfies Record<string, Command>

async function accountContext({ values, io }: CommandCall): Promise<AccountContext> {
  return { config: await readConfig({ dataDir: values['data-dir'], environment: io.environment }), io }
}
