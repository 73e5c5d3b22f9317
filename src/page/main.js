/** @import { Failure } from './api.js' */
import { Api, redeem } from './api.js'
import { creditsView } from './credits.js'
import { byId, element, failure } from './dom.js'
import { Feed } from './feed.js'
import { filesView } from './files.js'
import { libraryView } from './library.js'
import { loginView } from './login.js'
import { serviceView } from './service.js'
import { tasksView } from './tasks.js'
import { stateNames, stopped, wasStopped } from './format.js'

/** Name in the tab's session storage, which ends with the tab. */
const keyName = 'reelwright.key'

const main = byId('main')
const views = byId('views')
const session = byId('session')
const live = byId('live')
const news = byId('news')
const links = [...document.querySelectorAll('#views a')]

/** Ends the session of the current key. */
let leave = () => {}
/** Shows the view named in the address. */
let route = () => {}

/** @param {Failure} [problem] */
function signOut(problem) {
  sessionStorage.removeItem(keyName)
  leave()
  route = () => {}
  views.hidden = session.hidden = true
  document.title = 'Reelwright'
  main.replaceChildren(loginView(signIn, problem))
  byId('key').focus()
}

/** @param {string} key */
function signIn(key) {
  sessionStorage.setItem(keyName, key)
  leave()
  let hasLeft = false
  // A request with this key may be rejected after the user signed in with another.
  const api = new Api(key, (problem) => hasLeft || signOut(problem))
  const tasks = tasksView(api)
  const problem = element('div')
  const all = [tasks, filesView(api), libraryView(api), creditsView(api), serviceView(api)]
  /** @type {(typeof all)[number]} */
  let current = tasks
  route = () => {
    const name = location.hash.slice(1)
    current = all.find(({ title }) => title.toLowerCase() === name) ?? tasks
    for (const link of links) link.ariaCurrent = link.textContent === current.title ? 'page' : null
    document.title = `${current.title} · Reelwright`
    main.replaceChildren(element('h1', {}, current.title), problem, current.node)
    void current.refresh()
  }
  const feed = new Feed(api, {
    changed: (task) => {
      const state = wasStopped(task) ? stopped : stateNames[task.status]
      news.textContent = `${task.task_type.replaceAll('_', ' ')}: ${state}`
      void current.refresh()
    },
    progressed: tasks.progressed,
    missed: () => void current.refresh(),
    connected: () => {
      live.textContent = 'Live'
      live.className = 'on'
      problem.replaceChildren()
    },
    disconnected: (why) => {
      live.textContent = 'Connecting'
      live.className = ''
      if (why && !problem.hasChildNodes()) problem.append(failure(why))
    },
  })
  leave = () => {
    hasLeft = true
    feed.end()
  }
  views.hidden = session.hidden = false
  route()
}

/** Signs in with the ticket in the address, which is removed from it first, or with the key of the tab. */
async function begin() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket')
  if (ticket === null) {
    const key = sessionStorage.getItem(keyName)
    return key === null ? signOut() : signIn(key)
  }
  history.replaceState(null, '', location.pathname)
  try {
    signIn(await redeem(ticket))
  } catch (error) {
    signOut(/** @type {Failure} */ (error))
  }
}

byId('sign-out').addEventListener('click', () => signOut())
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#ticket=')) void begin()
  else {
    route()
    main.focus({ preventScroll: true })
  }
})
await begin()
