/**
 * @import { Capabilities } from '../contract/catalog.ts'
 * @import { Api, Failure } from './api.js'
 */
import { element, facts, failure } from './dom.js'
import { coalesce } from './coalesce.js'
import { size } from './format.js'

/**
 * View of the operations: which are ready, what is missing, and how to install it.
 *
 * @param {Api} api
 */
export function serviceView(api) {
  const node = element('div')
  const refresh = coalesce(async () => {
    try {
      node.replaceChildren(...describe(await api.capabilities()))
    } catch (error) {
      node.replaceChildren(failure(/** @type {Failure} */ (error)))
    }
  })
  return { title: 'Service', node, refresh }
}

/**
 * @param {NonNullable<Capabilities['storage']>} storage
 * @returns {string}
 */
function storageUse({ used_bytes: used, quota_bytes: quota }) {
  return quota === undefined ? size(used) : `${size(used)} of ${size(quota)}`
}

/**
 * @param {Capabilities} capabilities
 * @returns {Node[]}
 */
function describe({ version, operations, limits, tasks, storage }) {
  // Operations that need attention come first.
  const sorted = operations.toSorted((one, other) => Number(one.ready) - Number(other.ready))
  const ready = operations.filter((operation) => operation.ready).length
  return [
    element('p', {}, `Operations ready: ${ready} of ${operations.length}`),
    element('ul', { className: 'rows', ariaLabel: 'Operations' }, ...sorted.map(operationRow)),
    element('h2', {}, 'About'),
    element(
      'div',
      { className: 'row' },
      facts([
        ['Version', version],
        ['Tasks', `${tasks.processing} running, ${tasks.queued} waiting`],
        .../** @type {[string, string][]} */ (storage ? [['Storage used', storageUse(storage)]] : []),
        ['Largest file', size(limits.max_file_bytes)],
        ['Files are kept', `${limits.retention_days} days`],
        ['API', element('a', { href: 'docs' }, 'Endpoints of this service')],
      ]),
    ),
  ]
}

/** @param {Capabilities['operations'][number]} operation */
function operationRow({ name, title, ready, missing, price, first_download: download }) {
  const row = element(
    'li',
    { className: 'row' },
    element(
      'div',
      { className: 'head' },
      element('h2', {}, title),
      element('span', { className: `state ${ready ? 'completed' : 'failed'}` }, ready ? 'Ready' : 'Missing'),
    ),
    element('p', { className: 'aside' }, element('code', {}, name), ` · ${price}`),
  )
  if (missing !== null) row.append(failure({ message: missing }))
  if (download) {
    const first = `Its first use downloads ${size(download.bytes)} (${download.packs.join(', ')}).`
    row.append(element('p', { className: 'aside' }, first))
  }
  return row
}
