/**
 * @import { FileRecord } from '../contract/file.ts'
 * @import { Api } from './api.js'
 */
import { confirmAction } from './confirm.js'
import { Disclosure } from './disclosure.js'
import { button, byId, element, isFocusLost } from './dom.js'
import { PagedList } from './list.js'
import { download, isShown, showFile } from './media.js'
import { moment, size } from './format.js'

/**
 * View of all files, newest first: uploads and results.
 *
 * @param {Api} api
 */
export function filesView(api) {
  const files = new PagedList({
    label: 'Files',
    load: (page) => api.files({ page }),
    idOf: ({ file_id }) => file_id,
    makeRow: (file, refresh) => ({ node: fileRow(api, file, refresh) }),
    empty: 'No files yet. Uploads and results of tasks are listed here until they expire.',
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
    const isSure = await confirmAction({
      question: 'Delete this file?',
      consequence: `${original_name} (${size(file.size)}) cannot be restored.`,
      yes: 'Delete it',
    })
    if (!isSure) return
    await api.deleteFile(file_id)
    await refresh()
    // The row with the pressed button was removed. Users may also have moved on meanwhile.
    if (isFocusLost()) byId('main').focus()
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
