/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { Api } from './api.js'
 */
import { confirmed } from './confirm.js'
import { Disclosure } from './disclosure.js'
import { button, byId, element } from './dom.js'
import { PagedList } from './list.js'
import { download, isShown, showFile } from './media.js'
import { moment, size } from './words.js'

/**
 * All files, newest first: what was uploaded, and what tasks made.
 *
 * @param {Api} api
 */
export function filesView(api) {
  const files = new PagedList({
    label: 'Files',
    load: (page) => api.files({ page }),
    idOf: ({ file_id }) => file_id,
    makeRow: (file, refresh) => ({ node: fileRow(api, file, refresh) }),
    empty: 'No files here. What agents upload and what tasks make is kept for a while.',
  })
  return { title: 'Files', node: files.node, refresh: files.refresh }
}

/**
 * @param {Api} api
 * @param {FileRecord} file
 * @param {() => Promise<void>} refresh
 */
function fileRow(api, file, refresh) {
  const { file_id, original_name, created_at, expire_at } = file
  const shown = new Disclosure(original_name, () => showFile(api, file))
  const remove = async () => {
    const isSure = await confirmed({
      question: 'Delete this file?',
      consequence: `${original_name} (${size(file.size)}) cannot be brought back.`,
      yes: 'Delete it',
    })
    if (!isSure) return
    await api.deleteFile(file_id)
    await refresh()
    // The focus was on what is gone.
    byId('main').focus()
  }
  return element(
    'li',
    { className: 'row' },
    element('h2', {}, original_name),
    element(
      'p',
      { className: 'aside' },
      ...[`${size(file.size)} · `, moment(created_at), ' · kept until ', moment(expire_at)],
    ),
    element(
      'div',
      { className: 'actions' },
      ...(isShown(file) ? [shown.toggle] : []),
      download(api, file),
      button('Delete', remove, { about: original_name, className: 'danger' }),
    ),
    shown.node,
  )
}
