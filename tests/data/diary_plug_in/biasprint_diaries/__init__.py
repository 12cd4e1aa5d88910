"""Diary entries: who is made to sound excited?"""
