"""Conversations as documents: chats, transcripts, mail, lists of messages, and who speaks in a text."""
