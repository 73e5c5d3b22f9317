/** @import { Failure } from './api.js' */
import { Api, redeem } from './api.js'
import { creditsView } from './credits.js'
import { byId, element, failure } from './dom.js'
import { Feed } from './feed.js'
import { filesView } from './files.js'
import { loginView } from './login.js'
import { serviceView } from './service.js'
import { tasksView } from './tasks.js'
import { stateNames, stopped, wasStopped } from './words.js'

/** The tab's own, and forgotten with it. */
const keyName = 'reelwright.key'

const main = byId('main')
const views = byId('views')
const session = byId('session')
const live = byId('live')
const news = byId('news')
const links = [...document.querySelectorAll('#views a')]

/** Ends what goes on for the key that is signed in. */
let leave = () => {}
/** Shows the view that the address names. */
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
  // What was asked with it may be refused after another key came.
  const api = new Api(key, (problem) => hasLeft || signOut(problem))
  const tasks = tasksView(api)
  const trouble = element('div')
  const all = [tasks, filesView(api), creditsView(api), serviceView(api)]
  /** @type {(typeof all)[number]} */
  let current = tasks
  route = () => {
    const name = location.hash.slice(1)
    current = all.find(({ title }) => title.toLowerCase() === name) ?? tasks
    for (const link of links) link.ariaCurrent = link.textContent === current.title ? 'page' : null
    document.title = `${current.title} · Reelwright`
    main.replaceChildren(element('h1', {}, current.title), trouble, current.node)
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
      trouble.replaceChildren()
    },
    disconnected: (why) => {
      live.textContent = 'Connecting'
      live.className = ''
      if (why && !trouble.hasChildNodes()) trouble.append(failure(why))
    },
  })
  leave = () => {
    hasLeft = true
    feed.end()
  }
  views.hidden = session.hidden = false
  route()
}

/** Signs in by the address's ticket, which goes out of it before anything else, or by the tab's key. */
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
