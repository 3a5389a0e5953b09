/**
 * Keeps a state that only a reducer changes, and tells who wants to know.
 * @template S, A
 * @param {(state: S, action: A) => S} reducer Pure; returns the same object when nothing changes.
 * @param {S} initial The first state.
 * @returns {{get: () => S, dispatch: (action: A) => void, subscribe: (listener: (state: S) => void) => () => void}} The store.
 */
export function createStore(reducer, initial) {
  let state = initial;
  const listeners = new Set();
  return {
    get: () => state,
    dispatch(action) {
      const next = reducer(state, action);
      if (next === state) return;
      state = next;
      for (const listener of [...listeners]) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
