/**
 * @import { Api, Failure } from './api.js'
 */
import { element, facts, failure } from './dom.js'
import { PagedList } from './list.js'
import { coalesce } from './coalesce.js'
import { credits, moment } from './format.js'

const kinds = { grant: 'Granted', hold: 'Charged for a task', refund: 'Refunded' }

/**
 * View of the balance and the ledger.
 *
 * @param {Api} api
 */
export function creditsView(api) {
  const balance = element('div', { className: 'row' })
  const entries = new PagedList({
    label: 'Entries',
    load: (page) => api.ledger({ page }),
    idOf: ({ id }) => id,
    makeRow: ({ kind, amount, task_id, create_time }) => ({
      node: element(
        'li',
        { className: 'row entry' },
        element('span', {}, kinds[kind]),
        element('span', { className: 'amount' }, `${amount > 0 ? '+' : '−'}${credits(Math.abs(amount))}`),
        element(
          'span',
          { className: 'aside' },
          moment(create_time),
          ...(task_id ? [' · ', element('code', {}, task_id)] : []),
        ),
      ),
    }),
    empty: 'No entries yet.',
  })

  const showBalance = coalesce(async () => {
    try {
      const { balance: remaining, unlimited, quota } = (await api.capabilities()).credits
      balance.replaceChildren(
        facts([
          ['Balance', unlimited ? 'Unlimited' : credits(remaining)],
          ...(quota
            ? [
                /** @type {const} */ ([
                  'Quota of this key',
                  `${credits(quota.spent)} of ${quota.limit} spent`,
                ]),
              ]
            : []),
        ]),
      )
    } catch (error) {
      balance.replaceChildren(failure(/** @type {Failure} */ (error)))
    }
  })
  return {
    title: 'Credits',
    node: element('div', {}, balance, entries.node),
    refresh: async () => void (await Promise.all([showBalance(), entries.refresh()])),
  }
}
